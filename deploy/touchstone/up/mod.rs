//! `touchstone up`: the whole of Touchstone on one machine, as three processes
//! of this one program, with SQLite in a data folder and no other service.

mod child;
mod folder;
mod log;
mod narrate;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;
use touchstone_probe_agent::Policy;
use touchstone_telemetry::metrics::MetricsListen;
use url::Url;

use crate::exit::{Exit, Failure, Outcome};
use crate::{endpoint, terminal};

use child::{Notice, Role, Watched};
use folder::Folder;
use narrate::Narrator;

/// Notices that may wait to be said.
const NOTICES_WAITING_LIMIT: usize = 1024;
/// How long the signer may keep silent before that is said.
const SIGNER_ANSWERS_WITHIN: Duration = Duration::from_secs(30);
/// How often an address that is about to be free is tried.
const LISTEN_TRIED_EVERY: Duration = Duration::from_millis(50);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Endpoints to watch, in addition to those watched before
    urls: Vec<String>,
    /// Keys, database and logs
    #[arg(long, value_name = "DIR", default_value = "touchstone-data")]
    data: PathBuf,
    /// Where pages are served
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", value_parser = endpoint::listen)]
    listen: SocketAddr,
    /// A network of your own that may be probed, over plain http and on any port too
    #[arg(long, value_name = "CIDR", value_parser = endpoint::network)]
    allow_net: Vec<IpNet>,
    /// A network that is never probed, public or not; it goes before --allow-net
    #[arg(long, value_name = "CIDR", value_parser = endpoint::network)]
    deny_net: Vec<IpNet>,
    /// A further certificate authority (PEM) to trust in probes
    #[arg(long, value_name = "FILE")]
    trust_ca: Vec<PathBuf>,
    /// How often the endpoints named here are probed: every 12 h, 8 h or 15 min
    #[arg(long, value_enum, default_value = "unclaimed")]
    tier: Tier,
    /// Serve the coordinator's metrics: PORT on loopback, or ADDRESS:PORT
    #[arg(long, value_name = "ADDR", value_parser = endpoint::metrics)]
    metrics_listen: Option<MetricsListen>,
    /// Serve the agent's metrics
    #[arg(long, value_name = "ADDR", value_parser = endpoint::metrics)]
    agent_metrics_listen: Option<MetricsListen>,
    /// Print events as JSON lines
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Tier {
    Unclaimed,
    Free,
    Indie,
}

impl Tier {
    fn as_str(self) -> &'static str {
        match self {
            Self::Unclaimed => "unclaimed",
            Self::Free => "free",
            Self::Indie => "indie",
        }
    }
}

pub(crate) async fn run(args: Args) -> Outcome {
    let urls: Vec<Url> = args
        .urls
        .iter()
        .map(|text| endpoint::parse(text, &args.allow_net))
        .collect::<Result<_, _>>()?;
    // As the agent will read them, so that a file it cannot use is refused here.
    let policy = Policy::new(args.allow_net.clone(), args.deny_net.clone());
    touchstone_probe_agent::egress(policy, args.trust_ca.clone())
        .await
        .map_err(|error| Failure::caused(Exit::Usage, &error))?;
    let trust_ca: Vec<PathBuf> = args
        .trust_ca
        .iter()
        .map(|file| {
            std::fs::canonicalize(file)
                .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display())))
        })
        .collect::<Result<_, _>>()?;
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(
            Exit::Unexpected,
            format!("cannot find this program's own file: {error}"),
        )
    })?;
    let folder = Folder::open(&args.data)?;
    // Before any role starts; the coordinator's own attempt has the last word.
    let orphans_until = folder
        .was_killed()
        .then(|| Instant::now() + child::STOP_WITHIN);
    try_listen(args.listen, orphans_until).await?;
    folder.configure(&folder::Settings {
        urls: &urls,
        tier: args.tier.as_str(),
        listen: args.listen,
        allow_net: &args.allow_net,
        deny_net: &args.deny_net,
        trust_ca: &trust_ca,
        metrics_listen: args.metrics_listen,
        agent_metrics_listen: args.agent_metrics_listen,
    })?;
    let mut narrator = Narrator::new(args.json, &args.data)?;
    narrator.begin(&urls);
    let (notices, happened) = mpsc::channel(NOTICES_WAITING_LIMIT);
    folder.begin()?;
    let start = Start {
        folder: &folder,
        program,
        orphans_until,
    };
    let result = watch(&start, notices, happened, &mut narrator).await;
    folder.end();
    let said = narrator.end().await;
    result.and_then(|exit| said.map(|()| exit))
}

/// What every role is started with.
struct Start<'a> {
    folder: &'a Folder,
    program: PathBuf,
    /// Until when roles of an `up` that was killed may still be stopping.
    orphans_until: Option<Instant>,
}

/// Once the roles of an `up` that was killed here have let go of the address.
async fn try_listen(address: SocketAddr, orphans_until: Option<Instant>) -> Result<(), Failure> {
    loop {
        match endpoint::try_listen(address) {
            Err(failure)
                if failure.exit == Exit::Conflict
                    && orphans_until.is_some_and(|until| Instant::now() < until) =>
            {
                tokio::time::sleep(LISTEN_TRIED_EVERY).await;
            }
            result => return result,
        }
    }
}

async fn watch(
    start: &Start<'_>,
    notices: mpsc::Sender<Notice>,
    mut happened: mpsc::Receiver<Notice>,
    narrator: &mut Narrator,
) -> Outcome {
    let folder = start.folder;
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    let start_with = |name, flags| {
        let role = Role {
            name,
            config: folder.config_of(name),
            log: folder.log_of(name),
            flags,
            conflicts_until: start.orphans_until,
        };
        Watched::start(role, start.program.clone(), notices.clone())
    };
    let start_plain = |name| start_with(name, &[]);
    // With the barriers that this machine has; which are missing, we say.
    let signer = start_with("signer", &["--allow-weak-isolation"]);
    let coordinator = start_plain("coordinator");
    // A new agent needs its token before it starts; one that was in the fleet
    // before works while the signer is still away.
    let mut token = std::pin::pin!(folder.put_join_token());
    let mut token_is_put = false;
    let mut silent = std::pin::pin!(tokio::time::sleep(SIGNER_ANSWERS_WITHIN));
    let mut agent = folder.has_agent().then(|| start_plain("probe-agent"));
    let outcome = loop {
        tokio::select! {
            _ = interrupt.recv() => break Ok(Exit::Done),
            _ = terminate.recv() => break Ok(Exit::Done),
            given = &mut token, if !token_is_put => match given {
                Ok(()) => {
                    token_is_put = true;
                    agent.get_or_insert_with(|| start_plain("probe-agent"));
                }
                Err(failure) => break Err(failure),
            },
            () = &mut silent, if !token_is_put && !silent.is_elapsed() => narrator.signer_is_silent(),
            // `up | head`, or a full disk: stop in good order.
            heard = narrator.unheard() => break heard.map(|()| Exit::Done),
            notice = happened.recv() => match notice {
                Some(Notice::Hopeless { role, exit, why }) => {
                    break Err(Failure::new(
                        exit,
                        format!("{role} cannot run: {}", terminal::plain(&why)),
                    ));
                }
                Some(notice) => narrator.say(&notice),
                None => break Err(Failure::new(Exit::Unexpected, "nothing is left to watch")),
            },
        }
    };
    narrator.stopping();
    // In the order of the data, so that what was probed is still stored and signed.
    let stop_all = async {
        if let Some(agent) = agent {
            agent.stop().await;
        }
        coordinator.stop().await;
        signer.stop().await;
    };
    tokio::pin!(stop_all);
    loop {
        tokio::select! {
            () = &mut stop_all => return outcome,
            notice = happened.recv() => if let Some(notice) = notice {
                narrator.say(&notice);
            },
        }
    }
}

fn listen(kind: SignalKind) -> Result<tokio::signal::unix::Signal, Failure> {
    signal(kind).map_err(|error| {
        Failure::new(
            Exit::Unexpected,
            format!("listening for signals failed: {error}"),
        )
    })
}
