//! The operator's side of the admin socket, for the command line.

use std::path::{Path, PathBuf};

use tonic::transport::{Channel, Endpoint};
use touchstone_proto::signer::signer_admin_service_client::SignerAdminServiceClient;
use touchstone_proto::signer::{Agent, MintJoinTokenRequest, RevokeAgentRequest};

/// Calls a running signer on its admin socket.
#[derive(Debug)]
pub struct AdminClient;

#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    #[error("asking the signer: {} is no path that can be written in text", .0.display())]
    Path(PathBuf),
    #[error("asking the signer: nobody answers on {}", path.display())]
    Unreachable {
        path: PathBuf,
        source: tonic::transport::Error,
    },
    #[error("asking the signer: it refused, because {}", .0.message())]
    Refused(tonic::Status),
}

impl AdminClient {
    /// A one-time token by which one agent may join this region.
    pub async fn mint_join_token(
        socket: &Path,
        region: &str,
        lasts_s: u32,
    ) -> Result<String, AdminError> {
        let region = region.to_owned();
        let request = MintJoinTokenRequest { region, lasts_s };
        let answer = connect(socket).await?.mint_join_token(request).await;
        Ok(answer.map_err(AdminError::Refused)?.into_inner().join_token)
    }

    /// Ends an agent's time on the roster, for ever.
    pub async fn revoke_agent(socket: &Path, agent_key_id: &str) -> Result<Agent, AdminError> {
        let agent_key_id = agent_key_id.to_owned();
        let answer = connect(socket)
            .await?
            .revoke_agent(RevokeAgentRequest { agent_key_id })
            .await
            .map_err(AdminError::Refused)?;
        Ok(answer.into_inner().agent.unwrap_or_default())
    }
}

async fn connect(socket: &Path) -> Result<SignerAdminServiceClient<Channel>, AdminError> {
    let path = socket
        .to_str()
        .ok_or_else(|| AdminError::Path(socket.to_owned()))?;
    let unreachable = |source| AdminError::Unreachable {
        path: socket.to_owned(),
        source,
    };
    let channel = Endpoint::from_shared(format!("unix:{path}"))
        .map_err(unreachable)?
        .connect()
        .await
        .map_err(unreachable)?;
    Ok(SignerAdminServiceClient::new(channel))
}
