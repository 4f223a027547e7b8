//! Everything that the role listens at, bound before anything is written: a
//! second coordinator on the same places ends there.

use std::net::SocketAddr;

use tokio::net::{TcpListener, UnixListener};

use super::Error;
use crate::{
    config::{Address, Config},
    event::PagesUrl,
    listen,
};

/// Everything that is listened at.
pub(super) struct Places {
    pub(super) pages: TcpListener,
    /// The port that was found, where the configuration leaves it open.
    pages_at: SocketAddr,
    pub(super) agents: Agents,
    pub(super) operator: UnixListener,
}

pub(super) enum Agents {
    Unix(UnixListener),
    Tcp(TcpListener),
}

impl Places {
    pub(super) async fn bind(config: &Config) -> Result<Self, Error> {
        const AGENTS: &str = "agents_listen";
        let pages = listen::tcp("pages_listen", config.pages_listen).await?;
        let pages_at = pages.local_addr().unwrap_or(config.pages_listen);
        let agents = match config.agents()? {
            Address::Unix(path) => Agents::Unix(listen::unix(AGENTS, &path).await?),
            Address::Tcp(address) => Agents::Tcp(listen::tcp(AGENTS, address).await?),
        };
        let operator = listen::private_unix("operator_listen", &config.operator_socket()?).await?;
        Ok(Self {
            pages,
            pages_at,
            agents,
            operator,
        })
    }

    pub(super) fn pages_url(&self, config: &Config) -> PagesUrl {
        match &config.public_url {
            Some(url) => PagesUrl::new(url),
            None => PagesUrl::new(&format!("http://{}", self.pages_at)),
        }
    }
}
