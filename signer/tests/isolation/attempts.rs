//! What somebody would try who got into the signer's process, and what the
//! signer itself must still be able to do.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, IoSliceMut, Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, SockFlag, SockProtocol, SockType};
use nix::unistd::Pid;

/// What there is to reach.
pub(crate) struct Outside {
    folder: PathBuf,
    port: u16,
    parent: Pid,
}

impl Outside {
    pub(crate) fn of(folder: &Path, port: u16) -> Self {
        Self {
            folder: folder.to_owned(),
            port,
            parent: Pid::parent(),
        }
    }
}

pub(crate) type Attempt = (&'static str, fn(&Outside) -> io::Result<()>);

/// Done outside too, to show that nothing else stops them.
pub(crate) const HARMLESS: &[Attempt] = &[
    ("connecting to an address", connect),
    ("connecting to a socket of the machine", connect_unix),
    ("sending a datagram", datagram),
    ("running a program", run_program),
    ("reading a file outside", read_outside),
    ("listing a folder outside", list_outside),
    ("writing a file outside", write_outside),
];

/// The call itself is refused.
pub(crate) const BY_CALL: &[Attempt] = &[
    ("connecting to an address", connect),
    ("connecting to a socket of the machine", connect_unix),
    ("sending a datagram", datagram),
    ("listening on a port", |_| {
        TcpListener::bind("127.0.0.1:0").map(drop)
    }),
    ("asking the kernel by netlink", |_| {
        let flags = SockFlag::empty();
        let route = SockProtocol::NetlinkRoute;
        nix::sys::socket::socket(AddressFamily::Netlink, SockType::Raw, flags, route)?;
        Ok(())
    }),
    ("running a program", run_program),
    ("becoming a program", |_| {
        let program = CString::new("/bin/true")?;
        nix::unistd::execv(&program, &[&program])?;
        Ok(())
    }),
    ("letting itself be traced", |_| {
        Ok(nix::sys::ptrace::traceme()?)
    }),
    ("tracing its parent", |outside| {
        Ok(nix::sys::ptrace::attach(outside.parent)?)
    }),
    ("reading the memory of its parent", |outside| {
        let mut bytes = [0; 8];
        let remote = [nix::sys::uio::RemoteIoVec {
            base: 0x1000,
            len: 8,
        }];
        let local = &mut [IoSliceMut::new(&mut bytes)];
        nix::sys::uio::process_vm_readv(outside.parent, local, &remote)?;
        Ok(())
    }),
    ("signalling its parent", |outside| {
        Ok(nix::sys::signal::kill(outside.parent, None)?)
    }),
    ("mounting", |outside| {
        let flags = nix::mount::MsFlags::MS_BIND;
        let nothing = None::<&str>;
        nix::mount::mount(
            Some("/"),
            &outside.folder.join("data"),
            nothing,
            flags,
            nothing,
        )?;
        Ok(())
    }),
    ("entering a new namespace", |_| {
        Ok(nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWUSER)?)
    }),
    ("changing its root", |_| Ok(nix::unistd::chroot("/")?)),
    ("changing its user", |_| {
        Ok(nix::unistd::setuid(nix::unistd::getuid())?)
    }),
];

/// The call is one that the signer needs; the file is not.
pub(crate) const BY_FILE: &[Attempt] = &[
    ("reading a file outside", read_outside),
    ("listing a folder outside", list_outside),
    ("writing a file outside", write_outside),
    ("removing a file outside", |outside| {
        std::fs::remove_file(outside.folder.join("outside/file"))
    }),
    ("moving a file out", |outside| {
        let inside = outside.folder.join("data/to-be-moved");
        std::fs::write(&inside, b"x").unwrap();
        std::fs::rename(inside, outside.folder.join("outside/moved"))
    }),
    ("writing beside the sockets", |outside| {
        File::create(outside.folder.join("run/new")).map(drop)
    }),
    ("reading its own memory as a file", |_| {
        File::open("/proc/self/mem").map(drop)
    }),
    ("reading its parent's memory as a file", |outside| {
        File::open(format!("/proc/{}/mem", outside.parent)).map(drop)
    }),
];

pub(crate) fn connect(outside: &Outside) -> io::Result<()> {
    TcpStream::connect(("127.0.0.1", outside.port)).map(drop)
}

fn connect_unix(outside: &Outside) -> io::Result<()> {
    UnixStream::connect(outside.folder.join("data/listening")).map(drop)
}

fn datagram(_: &Outside) -> io::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0")?;
    let to = socket.local_addr()?;
    socket.send_to(b"x", to).map(drop)
}

fn run_program(_: &Outside) -> io::Result<()> {
    Command::new("true").status().map(drop)
}

pub(crate) fn read_outside(outside: &Outside) -> io::Result<()> {
    std::fs::read(outside.folder.join("outside/file")).map(drop)
}

fn list_outside(_: &Outside) -> io::Result<()> {
    std::fs::read_dir("/").map(drop)
}

fn write_outside(outside: &Outside) -> io::Result<()> {
    let mut file = File::options()
        .append(true)
        .open(outside.folder.join("outside/file"))?;
    file.write_all(b"y")
}

/// An error that says so, and not a signal.
#[track_caller]
pub(crate) fn assert_refused(name: &str, answer: io::Result<()>) {
    let error = answer.expect_err(name);
    let refused = [Errno::EPERM, Errno::EACCES].map(|errno| Some(errno as i32));
    assert!(refused.contains(&error.raw_os_error()), "{name}: {error}");
    println!("{name}: {error}");
}

/// Files of its own, threads, time, chance, connections that come in, and the
/// removal of its socket.
pub(crate) fn assert_the_work_goes_on(data: &Path, listening: &UnixListener, socket: &Path) {
    let [new, kept] = ["file.new", "folder/file"].map(|name| data.join(name));
    std::fs::create_dir(data.join("folder")).unwrap();
    let mut file = File::create(&new).unwrap();
    file.write_all(b"x").unwrap();
    file.sync_all().unwrap();
    std::fs::rename(&new, &kept).unwrap();
    let mut read = String::new();
    File::open(&kept)
        .unwrap()
        .read_to_string(&mut read)
        .unwrap();
    assert_eq!(read, "x");
    std::fs::remove_dir_all(data.join("folder")).unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        tokio::task::spawn_blocking(|| ()).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        let terminate = tokio::signal::unix::SignalKind::terminate();
        drop(tokio::signal::unix::signal(terminate).unwrap());
    });
    let mut random = [0; 8];
    getrandom::fill(&mut random).unwrap();
    listening.set_nonblocking(true).unwrap();
    let nobody = listening.accept().unwrap_err();
    assert_eq!(nobody.kind(), io::ErrorKind::WouldBlock);
    std::fs::remove_file(socket).unwrap();
}
