//! A process and all that it starts, ended together.

use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus};

use rustix::process::{Pid, Signal, kill_process_group};

/// A process group of its own; it ends when this is dropped, in a panic too.
#[derive(Debug)]
pub struct Group(Child);

impl Group {
    pub fn start(mut command: Command) -> std::io::Result<Self> {
        command.process_group(0).spawn().map(Self)
    }

    /// How its first process ended, if it did.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().unwrap()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0.id().try_into().ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}
