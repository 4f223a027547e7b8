//! No file outside the signer's folders, by Landlock.

use std::io;
use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    PathFd, PathFdError, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, Scope,
};

use super::Places;

/// Without it there is no barrier: Linux 5.13. What later versions add
/// (truncating by path, moving between folders, TCP, signals, sockets without
/// a file) is taken where the kernel has it, and refused by seccomp anyhow.
const LEAST: ABI = ABI::V1;
/// The newest whose rights were gone through for this list.
const NEWEST: ABI = ABI::V7;

#[derive(Debug, thiserror::Error)]
pub(super) enum FilesError {
    #[error("{0} threads run already, and it would hold for one of them")]
    Threads(usize),
    #[error("counting the threads of this process")]
    Uncounted(#[source] io::Error),
    #[error("opening a folder to be left open to this process")]
    Folder(#[from] PathFdError),
    #[error(
        "the kernel does not restrict this process (it needs Linux 5.13 or later, with Landlock on)"
    )]
    Kernel(#[from] RulesetError),
}

pub(super) fn restrict(places: &Places<'_>) -> Result<(), FilesError> {
    // Until ABI 8 (Linux 7.0) it holds for the calling thread and its children.
    let threads = std::fs::read_dir("/proc/self/task").map_err(FilesError::Uncounted)?;
    match threads.count() {
        1 => enforce(places),
        threads => Err(FilesError::Threads(threads)),
    }
}

fn enforce(places: &Places<'_>) -> Result<(), FilesError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(LEAST))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(PathFd::new(places.data)?, of_data()))?;
    for socket in places.sockets {
        let folder = PathFd::new(folder_of(socket))?;
        ruleset = ruleset.add_rule(PathBeneath::new(folder, AccessFs::RemoveFile))?;
    }
    ruleset.restrict_self()?;
    Ok(())
}

/// Plain files and folders, to be read and written.
fn of_data() -> BitFlags<AccessFs> {
    AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}

fn folder_of(file: &Path) -> &Path {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
