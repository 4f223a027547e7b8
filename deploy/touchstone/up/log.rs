//! The log file of one role: kept within a bound while the role runs, and read
//! for what the role said last before it ended.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _, SeekFrom};

/// A log file larger than this is set aside and begun anew, in bytes.
const LOG_LIMIT_BYTES: u64 = 16 * 1024 * 1024;
/// How much of a log's end is read for a role's last words, in bytes.
const LAST_WORDS_LIMIT_BYTES: u64 = 64 * 1024;
/// What a panic adds after its message.
const PANIC_NOTE: &str = "note: run with `RUST_BACKTRACE";

#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    /// Where the lines of the role that runs now begin.
    from: u64,
}

impl Log {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            from: 0,
        }
    }

    /// The file, for a role that is about to start.
    pub(super) fn open(&mut self) -> io::Result<File> {
        let log = File::options().create(true).append(true).open(&self.path)?;
        self.from = log.metadata()?.len();
        Ok(log)
    }

    /// Sets a file that grew too large aside, in the place of the one before.
    pub(super) async fn bound(&mut self) -> io::Result<()> {
        self.bound_at(LOG_LIMIT_BYTES).await
    }

    async fn bound_at(&mut self, limit: u64) -> io::Result<()> {
        match tokio::fs::metadata(&self.path).await {
            Ok(file) if file.len() > limit => {}
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
        // The bound goes before what was logged, as where the disk is full. A
        // line that comes in between is lost.
        let copied = tokio::fs::copy(&self.path, self.path.with_extension("log.1")).await;
        // The role appends, so that its next line is the first of the file.
        let log = tokio::fs::File::options()
            .write(true)
            .open(&self.path)
            .await?;
        log.set_len(0).await?;
        self.from = 0;
        copied.map(drop)
    }

    /// What the role that was started last said before it ended, in its own
    /// words: no record of its log, which tells what it did and not why it ended.
    pub(super) async fn last_words(&self) -> Option<String> {
        let text = match self.tail().await {
            Ok(text) => text,
            Err(error) => {
                tracing::warn!(%error, path = %self.path.display(), "a log cannot be read");
                return None;
            }
        };
        let line = text.lines().rev().map(str::trim).find(|line| {
            !line.is_empty() && !line.starts_with('{') && !line.starts_with(PANIC_NOTE)
        })?;
        // Said by who repeats it.
        Some(line.strip_prefix("touchstone: ").unwrap_or(line).to_owned())
    }

    async fn tail(&self) -> io::Result<String> {
        let mut log = tokio::fs::File::open(&self.path).await?;
        let end = log.metadata().await?.len();
        let begin = self.from.max(end.saturating_sub(LAST_WORDS_LIMIT_BYTES));
        log.seek(SeekFrom::Start(begin)).await?;
        let mut bytes = Vec::new();
        log.take(LAST_WORDS_LIMIT_BYTES)
            .read_to_end(&mut bytes)
            .await?;
        let text = String::from_utf8_lossy(&bytes);
        // In the middle of a line nothing tells whether it is a record.
        let whole = if begin > self.from {
            text.split_once('\n').map_or("", |(_, whole)| whole)
        } else {
            &text
        };
        Ok(whole.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    const RECORD: &str = r#"{"service":"signer","level":"INFO","message":"observed"}"#;

    #[tokio::test]
    async fn last_words_are_those_of_this_start_and_no_record() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::new(&folder.path().join("signer.log"));
        assert_eq!(log.last_words().await, None, "no file");
        let mut file = log.open().unwrap();
        writeln!(file, "{RECORD}\ntouchstone: the key is open\n{RECORD}\n").unwrap();
        assert_eq!(log.last_words().await.as_deref(), Some("the key is open"));
        let mut file = log.open().unwrap();
        writeln!(file, "{RECORD}").unwrap();
        assert_eq!(log.last_words().await, None, "words of the start before");
        writeln!(
            file,
            "thread 'main' panicked at a.rs:1:2:\nno way\n{PANIC_NOTE}=1`"
        )
        .unwrap();
        assert_eq!(log.last_words().await.as_deref(), Some("no way"));
    }

    #[tokio::test]
    async fn of_a_long_log_only_the_end_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let mut log = Log::new(&folder.path().join("signer.log"));
        let mut file = log.open().unwrap();
        let limit = usize::try_from(LAST_WORDS_LIMIT_BYTES).unwrap();
        writeln!(file, "early words\n{{{}}}", "x".repeat(limit)).unwrap();
        assert_eq!(log.last_words().await, None);
        writeln!(file, "late words").unwrap();
        assert_eq!(log.last_words().await.as_deref(), Some("late words"));
    }

    #[tokio::test]
    async fn a_log_that_grew_too_large_begins_anew_under_the_role_that_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("signer.log");
        let mut log = Log::new(&path);
        log.bound_at(8).await.unwrap();
        let mut file = log.open().unwrap();
        writeln!(file, "long words").unwrap();
        log.bound_at(1024).await.unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "long words\n");
        log.bound_at(8).await.unwrap();
        writeln!(file, "short").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "short\n");
        let aside = std::fs::read_to_string(folder.path().join("signer.log.1")).unwrap();
        assert_eq!(aside, "long words\n");
        assert_eq!(log.last_words().await.as_deref(), Some("short"));
    }
}
