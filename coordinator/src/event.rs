//! What happened, for whoever started the coordinator: one JSON object a line.

use std::sync::Arc;

use serde::Serialize;
use tokio::sync::{Mutex, MutexGuard, mpsc};

use crate::{
    history::reach::Reach,
    signer::Isolation,
    store::read::{MissedCause, StateCounts, StoreHealth},
};

/// Something that an operator may want to see at once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Ready: pages and agents are served.
    Started {
        pages_url: String,
        /// Where agents connect, as in the configuration.
        agents: String,
        targets: usize,
    },
    /// A result was stored; the signer has not seen it yet.
    Run {
        target_id: String,
        url: String,
        slug: String,
        run_id: String,
        slot: u64,
        region: String,
        /// `answered`, `unanswered`, `not_counted`.
        reach: &'static str,
        /// Of the last two, why; otherwise null.
        cause: Option<&'static str>,
        took_ms: i64,
        page_url: String,
    },
    /// A run was signed.
    Attested {
        target_id: String,
        url: String,
        slug: String,
        run_id: String,
        slot: u64,
        /// `full`, `limited`.
        scope: &'static str,
        key_id: String,
        states: StateCounts,
        page_url: String,
    },
    /// A run was evaluated and is not signed.
    Declined {
        target_id: String,
        url: String,
        slug: String,
        run_id: String,
        slot: u64,
        reason: String,
        page_url: String,
    },
    /// The signer would not look at a run, and never will.
    Refused {
        target_id: String,
        url: String,
        slug: String,
        run_id: String,
        slot: u64,
        reason: String,
    },
    /// Slots passed without a result.
    Missed {
        target_id: String,
        url: String,
        slug: String,
        first_slot: u64,
        last_slot: u64,
        cause: MissedCause,
    },
    /// A slot that was told as missed has a result after all: its lease had
    /// run out, or this coordinator was away, and the agent reported it later.
    /// Its [`Event::Run`] comes just before.
    NotMissed {
        target_id: String,
        url: String,
        slug: String,
        slot: u64,
        run_id: String,
    },
    /// An agent connected.
    AgentJoined {
        agent_key_id: String,
        region: String,
    },
    /// An agent is gone.
    AgentLeft {
        agent_key_id: String,
        region: String,
    },
    /// The signer came into reach, went out of it, or is isolated otherwise
    /// than before.
    Signer {
        reachable: bool,
        isolation: Isolation,
    },
    /// Results can be stored again, or cannot be for now: agents keep them.
    Store { health: StoreHealth },
    /// Everything is closed.
    Stopped,
}

impl Event {
    /// `reach` and `cause` of [`Event::Run`].
    pub(crate) fn reach(reach: Reach) -> (&'static str, Option<&'static str>) {
        let (kind, cause) = reach.parts();
        (kind, cause.map(crate::history::reach::Cause::as_str))
    }
}

/// Tells events, and never waits for a listener: one that is slow misses some,
/// and nothing else does.
#[derive(Clone, Debug)]
pub struct Events {
    sender: mpsc::Sender<Event>,
    books: Arc<Mutex<()>>,
}

impl Events {
    pub fn new(sender: mpsc::Sender<Event>) -> Self {
        Self {
            sender,
            books: Arc::default(),
        }
    }

    /// To be held while slots are stored as missed, or results in slots that
    /// may be, until that was told: who follows the events then reads of a slot
    /// in the order in which it was stored. Nothing but the store may be waited
    /// for meanwhile.
    pub(crate) async fn in_order(&self) -> MutexGuard<'_, ()> {
        self.books.lock().await
    }

    pub(crate) fn tell(&self, event: Event) {
        if let Err(mpsc::error::TrySendError::Full(event)) = self.sender.try_send(event) {
            tracing::warn!(?event, "nobody reads the events; this one is dropped");
        }
    }
}

/// The full address of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PagesUrl(String);

impl PagesUrl {
    /// `base` without or with its closing slash.
    pub fn new(base: &str) -> Self {
        Self(base.trim_end_matches('/').to_owned())
    }

    /// Of a path that begins with a slash.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_json_object() {
        let missed = Event::Missed {
            target_id: "aa".to_owned(),
            url: "https://a.example/".to_owned(),
            slug: "a.example".to_owned(),
            first_slot: 1,
            last_slot: 2,
            cause: MissedCause::NoAgent,
        };
        assert_eq!(
            serde_json::to_string(&missed).unwrap(),
            r#"{"event":"missed","target_id":"aa","url":"https://a.example/","slug":"a.example","first_slot":1,"last_slot":2,"cause":"no_agent"}"#
        );
        let not_missed = Event::NotMissed {
            target_id: "aa".to_owned(),
            url: "https://a.example/".to_owned(),
            slug: "a.example".to_owned(),
            slot: 2,
            run_id: "bb".to_owned(),
        };
        assert_eq!(
            serde_json::to_string(&not_missed).unwrap(),
            r#"{"event":"not_missed","target_id":"aa","url":"https://a.example/","slug":"a.example","slot":2,"run_id":"bb"}"#
        );
        assert_eq!(
            serde_json::to_string(&Event::Stopped).unwrap(),
            r#"{"event":"stopped"}"#
        );
        assert_eq!(
            PagesUrl::new("http://h:1/").page("/servers/a"),
            "http://h:1/servers/a"
        );
    }
}
