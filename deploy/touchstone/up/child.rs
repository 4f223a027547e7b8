//! One role as a child process: started, watched, started again, stopped.
//!
//! A child runs in a process group of its own, so that Ctrl-C reaches `up`
//! alone and the order of stopping is ours. Its standard input is a pipe that
//! only we hold: should we be killed, it ends, and the child with it.

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::log::Log;
use crate::exit::Exit;

/// First wait before a dead child is started again; doubled each time.
const BACKOFF_FIRST: Duration = Duration::from_millis(500);
/// Longest wait before a dead child is started again.
const BACKOFF_LONGEST: Duration = Duration::from_secs(30);
/// A child that ran this long begins again with the first wait.
const STEADY_AFTER: Duration = Duration::from_mins(1);
/// How long a child may take to stop before it is killed.
pub(super) const STOP_WITHIN: Duration = Duration::from_secs(15);
/// How often the size of a log is looked at while its role runs.
const LOG_LOOKED_AT_EVERY: Duration = Duration::from_mins(1);
/// Longest line of events that is read from a child, in bytes.
const LINE_LIMIT_BYTES: usize = 256 * 1024;

/// Which role, and how it is started.
#[derive(Debug)]
pub(super) struct Role {
    /// The subcommand that runs it: `signer`, `coordinator`, `probe-agent`.
    pub(super) name: &'static str,
    pub(super) config: PathBuf,
    pub(super) log: PathBuf,
    pub(super) flags: &'static [&'static str],
    /// Until when what it conflicts with may be a role that is about to stop.
    pub(super) conflicts_until: Option<Instant>,
}

/// What happened to a child, in order.
#[derive(Debug)]
pub(super) enum Notice {
    Started {
        role: &'static str,
        pid: u32,
    },
    /// One line that the child wrote to standard output.
    Line {
        line: String,
    },
    Died {
        role: &'static str,
        how: String,
        /// Why, in its own words, if it had any.
        why: Option<String>,
        again_in: Duration,
    },
    /// It cannot run at all with this configuration or beside what runs already.
    Hopeless {
        role: &'static str,
        exit: Exit,
        why: String,
    },
}

/// A child under watch. Dropping it does not stop it: call [`Watched::stop`].
#[derive(Debug)]
pub(super) struct Watched {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Watched {
    /// Starts a role and keeps it running; says what happens on `notices`.
    pub(super) fn start(role: Role, program: PathBuf, notices: mpsc::Sender<Notice>) -> Self {
        let stop = CancellationToken::new();
        let task = tokio::spawn(watch(role, program, notices, stop.clone()));
        Self { stop, task }
    }

    /// Ends the child: SIGTERM, and after [`STOP_WITHIN`] SIGKILL.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "watching a child ended badly");
        }
    }
}

async fn watch(
    role: Role,
    program: PathBuf,
    notices: mpsc::Sender<Notice>,
    stop: CancellationToken,
) {
    let mut backoff = BACKOFF_FIRST;
    let mut log = Log::new(&role.log);
    loop {
        let began = Instant::now();
        keep_bounded(&mut log, role.name).await;
        let how = match spawn(&role, &program, &mut log) {
            Ok(mut child) => {
                let pid = child.id().unwrap_or_default();
                // `wait` would close it, and the child would take us for dead.
                let _held = child.stdin.take();
                send(
                    &notices,
                    Notice::Started {
                        role: role.name,
                        pid,
                    },
                )
                .await;
                let lines = forward_lines(&mut child, notices.clone());
                let ended = loop {
                    tokio::select! {
                        status = child.wait() => break Some(status),
                        () = stop.cancelled() => break None,
                        () = tokio::time::sleep(LOG_LOOKED_AT_EVERY) => {
                            keep_bounded(&mut log, role.name).await;
                        }
                    }
                };
                let Some(status) = ended else {
                    terminate(&mut child, role.name).await;
                    await_lines(lines).await;
                    return;
                };
                await_lines(lines).await;
                match status {
                    Ok(status) => {
                        if let Some(exit) = hopeless(status, role.conflicts_until) {
                            let why = log.last_words().await.unwrap_or_else(|| {
                                format!("see {} in the data folder", role.log.display())
                            });
                            send(
                                &notices,
                                Notice::Hopeless {
                                    role: role.name,
                                    exit,
                                    why,
                                },
                            )
                            .await;
                            return;
                        }
                        status.to_string()
                    }
                    Err(error) => format!("waiting for it failed: {error}"),
                }
            }
            Err(error) => format!("it could not be started: {error}"),
        };
        if began.elapsed() >= STEADY_AFTER {
            backoff = BACKOFF_FIRST;
        }
        send(
            &notices,
            Notice::Died {
                role: role.name,
                how,
                why: log.last_words().await,
                again_in: backoff,
            },
        )
        .await;
        tokio::select! {
            () = tokio::time::sleep(backoff) => {}
            () = stop.cancelled() => return,
        }
        backoff = (backoff * 2).min(BACKOFF_LONGEST);
    }
}

async fn keep_bounded(log: &mut Log, role: &str) {
    if let Err(error) = log.bound().await {
        tracing::warn!(role, %error, "keeping a log within its bound failed");
    }
}

fn spawn(role: &Role, program: &Path, log: &mut Log) -> std::io::Result<Child> {
    let log = log.open()?;
    Command::new(program)
        .arg(role.name)
        .arg("--config")
        .arg(&role.config)
        .arg("--until-stdin-closes")
        .args(role.flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(log)
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
}

/// Exits that a restart cannot mend.
fn hopeless(status: ExitStatus, conflicts_until: Option<Instant>) -> Option<Exit> {
    let passes = conflicts_until.is_some_and(|until| Instant::now() < until);
    [Exit::Usage, Exit::Configuration, Exit::Conflict]
        .into_iter()
        .find(|exit| status.code() == Some(i32::from(*exit as u8)))
        .filter(|exit| !(passes && *exit == Exit::Conflict))
}

fn forward_lines(child: &mut Child, notices: mpsc::Sender<Notice>) -> Option<JoinHandle<()>> {
    let stdout = child.stdout.take()?;
    Some(tokio::spawn(async move {
        let mut lines = BufReader::with_capacity(LINE_LIMIT_BYTES, stdout).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            send(&notices, Notice::Line { line }).await;
        }
    }))
}

async fn await_lines(lines: Option<JoinHandle<()>>) {
    if let Some(lines) = lines
        && let Err(error) = lines.await
    {
        tracing::error!(%error, "reading a child's events ended badly");
    }
}

async fn terminate(child: &mut Child, role: &str) {
    if let Some(pid) = child
        .id()
        .and_then(|pid| i32::try_from(pid).ok())
        .and_then(rustix::process::Pid::from_raw)
        && let Err(error) = rustix::process::kill_process(pid, rustix::process::Signal::TERM)
    {
        tracing::warn!(role, %error, "asking a child to stop failed");
    }
    if tokio::time::timeout(STOP_WITHIN, child.wait())
        .await
        .is_err()
    {
        tracing::warn!(role, "a child did not stop in time and is killed");
        if let Err(error) = child.kill().await {
            tracing::error!(role, %error, "killing a child failed");
        }
    }
}

async fn send(notices: &mpsc::Sender<Notice>, notice: Notice) {
    // The receiver is gone only when `up` itself is ending; then nobody is left to tell.
    let _ = notices.send(notice).await;
}
