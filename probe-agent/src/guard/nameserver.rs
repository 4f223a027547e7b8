//! For tests: a real name server on loopback that says what it is told to,
//! lies included.

use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::{RData, Record, RecordType};
use tokio::net::UdpSocket;
use tokio_util::task::AbortOnDropHandle;

/// What is answered to one question.
pub(crate) enum Say {
    /// Those of the family that was asked for.
    Addresses(Vec<IpAddr>),
    Code(ResponseCode),
    /// Bytes after the question's id that are no message.
    Garbage,
    Silence,
}

impl Say {
    pub(crate) fn addresses(texts: &[&str]) -> Self {
        Self::Addresses(texts.iter().map(|text| text.parse().unwrap()).collect())
    }
}

pub(crate) struct Nameserver {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<(String, RecordType)>>>,
    _task: AbortOnDropHandle<()>,
}

impl Nameserver {
    /// `lie` is given the name without its last dot, the type, and how often
    /// the same question came before.
    pub(crate) async fn start(
        lie: impl Fn(&str, RecordType, usize) -> Say + Send + 'static,
    ) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            let mut buffer = vec![0; 4096];
            loop {
                let (size, from) = socket.recv_from(&mut buffer).await.unwrap();
                let query = Message::from_vec(&buffer[..size]).unwrap();
                let question = query.queries[0].clone();
                let name = question.name().to_ascii().trim_end_matches('.').to_owned();
                let key = (name, question.query_type());
                let before = {
                    let mut log = log.lock().unwrap();
                    let before = log.iter().filter(|asked| **asked == key).count();
                    log.push(key.clone());
                    before
                };
                let mut answer = Message::response(query.metadata.id, query.metadata.op_code);
                answer.add_query(question.clone());
                let bytes = match lie(&key.0, key.1, before) {
                    Say::Silence => continue,
                    Say::Garbage => {
                        [&query.metadata.id.to_be_bytes()[..], &[0x81, 0x80, 0xff]].concat()
                    }
                    Say::Code(code) => {
                        answer.metadata.response_code = code;
                        answer.to_vec().unwrap()
                    }
                    Say::Addresses(addresses) => {
                        for address in addresses {
                            let (family, data) = match address {
                                IpAddr::V4(v4) => (RecordType::A, RData::A(v4.into())),
                                IpAddr::V6(v6) => (RecordType::AAAA, RData::AAAA(v6.into())),
                            };
                            if family == key.1 {
                                answer.add_answer(Record::from_rdata(
                                    question.name().clone(),
                                    60,
                                    data,
                                ));
                            }
                        }
                        answer.to_vec().unwrap()
                    }
                };
                socket.send_to(&bytes, from).await.unwrap();
            }
        });
        Self {
            address,
            asked,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// How often this question came.
    pub(crate) fn times_asked(&self, name: &str, family: RecordType) -> usize {
        let asked = self.asked.lock().unwrap();
        asked
            .iter()
            .filter(|(n, f)| n == name && *f == family)
            .count()
    }
}
