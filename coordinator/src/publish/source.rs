//! What pages read, as a seam: the store in earnest, prepared values in tests.

use std::error::Error;
use std::future::Future;

use touchstone_evidence::log::tile::Tile;

use crate::signer::Isolation;
use crate::store::read::{
    DirectoryPage, DirectoryQuery, Evidence, KeyDocument, Report, Status, ToolHistory,
};
use crate::store::{LogLine, Reader, StoreError};

/// The store did not answer. The cause is logged and never shown.
#[derive(Debug, thiserror::Error)]
#[error("reading for a page: the store did not answer")]
pub struct Unavailable(#[source] pub Box<dyn Error + Send + Sync>);

/// Answers what pages ask.
pub trait Source: Send + Sync + 'static {
    fn directory(
        &self,
        query: &DirectoryQuery,
    ) -> impl Future<Output = Result<DirectoryPage, Unavailable>> + Send;

    /// One target with its newest run, or with the run named.
    fn report(
        &self,
        slug: &str,
        run_id: Option<&str>,
    ) -> impl Future<Output = Result<Option<Report>, Unavailable>> + Send;

    /// How a target's tool list changed before a time, newest first.
    fn tool_changes(
        &self,
        slug: &str,
        before_ms: Option<i64>,
    ) -> impl Future<Output = Result<Option<ToolHistory>, Unavailable>> + Send;

    fn evidence(
        &self,
        run_id: &str,
    ) -> impl Future<Output = Result<Option<Evidence>, Unavailable>> + Send;

    /// The checkpoint of the log that is served.
    fn log_checkpoint(&self) -> impl Future<Output = Result<Option<Vec<u8>>, Unavailable>> + Send;

    /// A tile of the log as far as that checkpoint goes.
    fn log_tile(
        &self,
        tile: Tile,
    ) -> impl Future<Output = Result<Option<Vec<u8>>, Unavailable>> + Send;

    /// Entries of the log of this run or envelope, newest first; the newest for
    /// an empty text.
    fn log_lines(
        &self,
        text: &str,
    ) -> impl Future<Output = Result<Vec<LogLine>, Unavailable>> + Send;

    fn keys(&self) -> impl Future<Output = Result<Option<KeyDocument>, Unavailable>> + Send;

    /// How our own fleet is.
    fn status(&self) -> impl Future<Output = Result<Status, Unavailable>> + Send;

    /// What the signer said last of its isolation.
    fn signer_isolation(&self) -> Isolation;

    /// UTC, milliseconds since the epoch: the time by which pages judge age.
    fn now_ms(&self) -> i64;
}

impl From<StoreError> for Unavailable {
    fn from(error: StoreError) -> Self {
        Self(Box::new(error))
    }
}

impl Source for Reader {
    async fn directory(&self, query: &DirectoryQuery) -> Result<DirectoryPage, Unavailable> {
        Ok(Self::directory(self, query).await?)
    }

    async fn report(
        &self,
        slug: &str,
        run_id: Option<&str>,
    ) -> Result<Option<Report>, Unavailable> {
        Ok(Self::report(self, slug, run_id).await?)
    }

    async fn tool_changes(
        &self,
        slug: &str,
        before_ms: Option<i64>,
    ) -> Result<Option<ToolHistory>, Unavailable> {
        Ok(Self::tool_changes(self, slug, before_ms).await?)
    }

    async fn evidence(&self, run_id: &str) -> Result<Option<Evidence>, Unavailable> {
        Ok(Self::evidence(self, run_id).await?)
    }

    async fn log_checkpoint(&self) -> Result<Option<Vec<u8>>, Unavailable> {
        Ok(Self::log_checkpoint(self).await?)
    }

    async fn log_tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, Unavailable> {
        Ok(Self::log_tile(self, tile).await?)
    }

    async fn log_lines(&self, text: &str) -> Result<Vec<LogLine>, Unavailable> {
        Ok(Self::log_lines(self, text).await?)
    }

    async fn keys(&self) -> Result<Option<KeyDocument>, Unavailable> {
        Ok(Self::keys(self).await?)
    }

    async fn status(&self) -> Result<Status, Unavailable> {
        Ok(Self::status(self).await?)
    }

    fn signer_isolation(&self) -> Isolation {
        Self::signer_isolation(self)
    }

    fn now_ms(&self) -> i64 {
        Self::now_ms(self)
    }
}
