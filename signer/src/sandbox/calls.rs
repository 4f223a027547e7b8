//! No network, no program, no process, no foreign memory, by seccomp: a list
//! of the calls that a running signer needs, and EPERM for all others.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch,
};

/// Needed with any arguments. No call here makes a socket of its own accord,
/// connects, or names another process.
const ALLOWED: &[c_long] = &[
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // Threads and signals of this process.
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_get_robust_list,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_membarrier,
    libc::SYS_restart_syscall,
    libc::SYS_rseq,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_sigaltstack,
    // Time and chance.
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getrandom,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    // Who we are.
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getuid,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    // Files; which of them, Landlock decides.
    libc::SYS_close,
    libc::SYS_dup,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_lseek,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_read,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_statx,
    libc::SYS_umask,
    libc::SYS_unlinkat,
    libc::SYS_write,
    libc::SYS_writev,
    // Connections that come in on the sockets that are open.
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_getpeername,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    // Waiting.
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
];

/// The same under the names that newer architectures no longer have.
#[cfg(target_arch = "x86_64")]
const ALLOWED_OLDER: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_chmod,
    libc::SYS_epoll_wait,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_rmdir,
    libc::SYS_stat,
    libc::SYS_unlink,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_OLDER: &[c_long] = &[];

#[derive(Debug, thiserror::Error)]
pub(super) enum CallsError {
    #[error("making the list of allowed calls")]
    List(#[from] BackendError),
    #[error("the kernel does not filter this process's calls")]
    Kernel(#[from] seccompiler::Error),
}

pub(super) fn restrict() -> Result<(), CallsError> {
    let own_pid = std::process::id();
    for program in [without_clone3()?, allowed_only(own_pid)?] {
        seccompiler::apply_filter_all_threads(&program)?;
    }
    Ok(())
}

/// clone3 keeps its flags where a filter cannot see them. As if the kernel
/// did not have it, so that the C library takes clone instead.
fn without_clone3() -> Result<BpfProgram, BackendError> {
    let clone3 = BTreeMap::from([(libc::SYS_clone3, Vec::new())]);
    filter(clone3, SeccompAction::Allow, errno(libc::ENOSYS))
}

fn allowed_only(own_pid: u32) -> Result<BpfProgram, BackendError> {
    filter(rules(own_pid)?, errno(libc::EPERM), SeccompAction::Allow)
}

fn rules(own_pid: u32) -> Result<BTreeMap<c_long, Vec<SeccompRule>>, BackendError> {
    let mut rules: BTreeMap<c_long, Vec<SeccompRule>> = ALLOWED
        .iter()
        .chain(ALLOWED_OLDER)
        // The other filter has the last word on it.
        .chain(&[libc::SYS_clone3])
        .map(|call| (*call, Vec::new()))
        .collect();
    let thread = bits(libc::CLONE_THREAD | libc::CLONE_VM);
    let executable = bits(libc::PROT_EXEC);
    rules.extend([
        // Threads, and no process.
        (
            libc::SYS_clone,
            vec![when(0, SeccompCmpOp::MaskedEq(thread), thread)?],
        ),
        // A signal to ourselves, as abort(3) sends it.
        (
            libc::SYS_tgkill,
            vec![when(0, SeccompCmpOp::Eq, own_pid.into())?],
        ),
        // No memory that can be run is added.
        (
            libc::SYS_mmap,
            vec![when(2, SeccompCmpOp::MaskedEq(executable), 0)?],
        ),
        (
            libc::SYS_mprotect,
            vec![when(2, SeccompCmpOp::MaskedEq(executable), 0)?],
        ),
        (libc::SYS_prlimit64, vec![reading_our_limits()?]),
        // A pair that is connected to itself, as tokio has for signals.
        (
            libc::SYS_socketpair,
            vec![when(0, SeccompCmpOp::Eq, bits(libc::AF_UNIX))?],
        ),
        (
            libc::SYS_prctl,
            vec![
                when(0, SeccompCmpOp::Eq, bits(libc::PR_SET_NAME))?,
                // Names a mapping, as glibc does.
                when(0, SeccompCmpOp::Eq, bits(libc::PR_SET_VMA))?,
            ],
        ),
        (
            libc::SYS_ioctl,
            [libc::FIONBIO, libc::FIOCLEX, libc::TCGETS]
                .into_iter()
                .map(|request| when(1, SeccompCmpOp::Eq, request & u64::from(u32::MAX)))
                .collect::<Result<_, _>>()?,
        ),
    ]);
    Ok(rules)
}

/// prlimit64 of this process, without new values.
fn reading_our_limits() -> Result<SeccompRule, BackendError> {
    let own = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, 0)?;
    let reading = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    SeccompRule::new(vec![own, reading])
}

fn when(argument: u8, compared: SeccompCmpOp, value: u64) -> Result<SeccompRule, BackendError> {
    let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, compared, value)?;
    SeccompRule::new(vec![condition])
}

fn filter(
    rules: BTreeMap<c_long, Vec<SeccompRule>>,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, otherwise, matched, architecture)?.try_into()
}

/// An error of errno.h, all of which are small and positive.
fn errno(error: i32) -> SeccompAction {
    SeccompAction::Errno(error.unsigned_abs())
}

/// Flags of a C int as an argument's low half.
fn bits(flags: i32) -> u64 {
    flags.cast_unsigned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that a test can try are tried in `tests/isolation`.
    #[test]
    fn no_way_out_is_on_the_list() {
        let rules = rules(1).unwrap();
        for call in [
            libc::SYS_bind,
            libc::SYS_bpf,
            libc::SYS_chroot,
            libc::SYS_connect,
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_io_uring_enter,
            libc::SYS_io_uring_register,
            libc::SYS_io_uring_setup,
            libc::SYS_keyctl,
            libc::SYS_kill,
            libc::SYS_linkat,
            libc::SYS_listen,
            libc::SYS_memfd_create,
            libc::SYS_mount,
            libc::SYS_open_by_handle_at,
            libc::SYS_perf_event_open,
            libc::SYS_pidfd_getfd,
            libc::SYS_pidfd_open,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_ptrace,
            libc::SYS_seccomp,
            libc::SYS_setns,
            libc::SYS_setuid,
            libc::SYS_socket,
            libc::SYS_symlinkat,
            libc::SYS_truncate,
            libc::SYS_unshare,
            libc::SYS_userfaultfd,
        ] {
            assert!(!rules.contains_key(&call), "{call}");
        }
        // An empty list of conditions lets a call through whatever it asks.
        for call in [
            libc::SYS_clone,
            libc::SYS_ioctl,
            libc::SYS_mmap,
            libc::SYS_mprotect,
            libc::SYS_prctl,
            libc::SYS_prlimit64,
            libc::SYS_socketpair,
            libc::SYS_tgkill,
        ] {
            assert!(!rules[&call].is_empty(), "{call}");
        }
    }

    #[test]
    fn both_filters_compile() {
        assert!(!without_clone3().unwrap().is_empty());
        assert!(!allowed_only(std::process::id()).unwrap().is_empty());
    }
}
