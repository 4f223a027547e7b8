//! How the tool list of a target changed: neighbouring lists, held against each
//! other when they are asked for. Nothing of it is stored, so that a result that
//! comes late changes the history into what it would have been.

use bytes::Bytes;
use touchstone_canonical::change::{Changes, ToolList, changes};

use super::Reader;
use crate::{
    store::{
        StoreError,
        read::{HISTORY_CHANGES, ListChange, ToolChange, ToolChanges, ToolHistory},
        unreadable,
    },
    targets::Target,
};

impl Reader {
    /// The changes of a target's list that were first seen before a time.
    /// `None` when there is no such target.
    pub async fn tool_changes(
        &self,
        slug: &str,
        before_ms: Option<i64>,
    ) -> Result<Option<ToolHistory>, StoreError> {
        let failed = self.store.failed("reading how a tool list changed");
        let target = self.store.target_by_slug(slug).await.map_err(&failed)?;
        let Some(target) = target else {
            return Ok(None);
        };
        let before_ms = before_ms.unwrap_or(i64::MAX);
        let changes = self.tool_changes_of(&target, before_ms, HISTORY_CHANGES);
        let changes = changes.await.map_err(&failed)?;
        let unchanged = self.store.tools_unchanged(&target.target_id).await;
        Ok(Some(ToolHistory {
            unchanged: unchanged.map_err(&failed)?,
            changes,
            target: self.target_view(&target),
        }))
    }

    pub(super) async fn tool_changes_of(
        &self,
        target: &Target,
        before_ms: i64,
        limit: u32,
    ) -> Result<ToolChanges, sqlx::Error> {
        // Between runs that are kept for another reason nothing is known of the others.
        let kept_from_ms = self.store.pruned_until_ms(&target.target_id).await?;
        // One more, to know whether there is a next part.
        let (mut seen, total) = self
            .store
            .list_changes(
                &target.target_id,
                (kept_from_ms.unwrap_or(0), before_ms),
                i64::from(limit) + 1,
            )
            .await?;
        let more = seen.len() > limit as usize;
        seen.truncate(limit as usize);
        let next_ms = seen.last().filter(|_| more).map(|last| last.at_ms);
        let mut changes = Vec::with_capacity(seen.len());
        for seen in seen {
            let what = self.what_changed(&seen).await?;
            changes.push(ToolChange { seen, what });
        }
        Ok(ToolChanges {
            changes,
            total,
            kept_from_ms,
            next_ms,
        })
    }

    async fn what_changed(&self, seen: &ListChange) -> Result<Option<Changes>, sqlx::Error> {
        let before = self.store.tool_list(&seen.before_fingerprint).await?;
        let after = self.store.tool_list(&seen.fingerprint).await?;
        let (Some(before), Some(after)) = (before, after) else {
            return Ok(None);
        };
        // Lists may be long: not on the runtime's own threads.
        tokio::task::spawn_blocking(move || between(&before, &after))
            .await
            .map_err(|_| unreadable("two tool lists"))?
            .map(Some)
    }
}

fn between(before: &Bytes, after: &Bytes) -> Result<Changes, sqlx::Error> {
    let list = |text: &Bytes| ToolList::read(text).map_err(|_| unreadable("a tool list"));
    Ok(changes(&list(before)?, &list(after)?))
}
