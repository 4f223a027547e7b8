//! rmcp's own Streamable HTTP service, served by hyper.
//! usage: touchstone-rmcp-peer PORT [stateful|stateless] [sse|json]

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, schemars, tool, tool_handler, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pair {
    /// The left one.
    a: i64,
    b: Option<i64>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Words {
    text: String,
    #[serde(default)]
    loud: bool,
}

struct Peer;

#[tool_router]
impl Peer {
    #[tool(description = "Adds two numbers")]
    fn add(&self, Parameters(Pair { a, b }): Parameters<Pair>) -> String {
        (a + b.unwrap_or_default()).to_string()
    }

    #[tool(description = "Gives a text back")]
    fn echo(&self, Parameters(Words { text, loud }): Parameters<Words>) -> String {
        if loud { text.to_uppercase() } else { text }
    }

    #[tool(description = "Takes nothing")]
    fn idle(&self) -> String {
        String::new()
    }
}

#[tool_handler]
impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(!has("stateless"))
        .with_json_response(has("json"));
    let service: StreamableHttpService<Peer, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Peer), Default::default(), config);
    let port = arguments
        .first()
        .and_then(|port| port.parse().ok())
        .unwrap_or(0);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        tokio::spawn(async move {
            let served = Builder::new(TokioExecutor::new());
            let _ = served.serve_connection(TokioIo::new(stream), service).await;
        });
    }
}
