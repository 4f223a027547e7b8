//! How far the tool list was read, and why it was read no further.
//!
//! The first page is judged; a later page that is no page stops the reading.
//! A page is an answer of 2xx whose tools are objects with a string for a name.

use std::collections::HashSet;

use sha2::{Digest as _, Sha256};
use touchstone_canonical::{Value, canonicalize_value};
use touchstone_proto::observation::Step;
use touchstone_wire::jsonrpc::Answer;
use touchstone_wire::tools::{self, Next, NotAPage};
use touchstone_wire::{Era, PROBE_TOOL_NAME};

use super::handshake::Handshake;
use super::turn::Turn;
use super::{Asked, ended};
use crate::limits;
use crate::reason::{Param, Reason, ReasonKey};

/// What was read of the tool list.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    /// Indices of the exchanges whose tools were read, one a page, in order.
    pub(crate) pages: Vec<usize>,
    pub(crate) tools: usize,
    pub(crate) end: End,
    /// Whether a page that was read lists the name reserved for the probe.
    pub(crate) lists_probe_name: bool,
}

/// How the reading ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    Complete,
    /// There is more, or may be: the cause, in a word.
    Incomplete(&'static str),
    /// The list was not asked for, for this reason.
    NotAsked(Reason),
    /// The first page was answered 401 with a challenge that can be used.
    Gated(Reason),
    /// A firewall answered the first page.
    Edge(Reason),
    /// The first page goes beyond what we read.
    Unread(Reason),
    /// The first page is no page.
    Failed(Reason),
    /// The run ended while a page was asked for.
    Broke(Reason),
}

impl Listing {
    /// `unrun`: why a page that is due and not there is not there.
    pub(super) fn read(
        turns: &[Turn<'_>],
        asked: Option<Asked>,
        handshake: &Handshake,
        unrun: &Reason,
    ) -> Self {
        let mut reader = Reader {
            asked,
            era: handshake.era(),
            pages: Vec::new(),
            tools: 0,
            lists_probe_name: false,
            cursors: HashSet::new(),
            digests: HashSet::new(),
        };
        let end = if let Some(reason) = handshake.cascade() {
            End::NotAsked(reason)
        } else {
            let from = handshake.decided_by.unwrap_or(0);
            let asked_for = |turn: &&Turn<'_>| turn.step() == Step::ListTools;
            reader.list(turns[from..].iter().filter(asked_for), unrun)
        };
        Self {
            end,
            pages: reader.pages,
            tools: reader.tools,
            lists_probe_name: reader.lists_probe_name,
        }
    }

    /// `tools_list_incomplete`, when the list is that.
    pub(crate) fn incomplete(&self) -> Option<Reason> {
        match self.end {
            End::Incomplete(cause) => Some(Reason::new(
                ReasonKey::ToolsListIncomplete,
                &self.counts(cause),
            )),
            _ => None,
        }
    }

    /// Tools, pages, cause.
    pub(crate) fn counts(&self, cause: &'static str) -> [Param; 3] {
        [self.tools.into(), self.pages.len().into(), cause.into()]
    }

    /// Why there is no complete list; `None` when there is one.
    pub(crate) fn missing(&self) -> Option<Reason> {
        match &self.end {
            End::Complete => None,
            End::Incomplete(_) => self.incomplete(),
            End::NotAsked(reason)
            | End::Gated(reason)
            | End::Edge(reason)
            | End::Unread(reason)
            | End::Failed(reason)
            | End::Broke(reason) => Some(reason.clone()),
        }
    }
}

/// A failure of a later page that stops the reading and not the run.
pub(super) fn only_ends_reading(reason: &Reason) -> bool {
    matches!(
        reason.key(),
        ReasonKey::BudgetExhausted
            | ReasonKey::ResponseTooLarge
            | ReasonKey::ResponseHeadersTooLarge
    )
}

struct Reader {
    asked: Option<Asked>,
    era: Era,
    pages: Vec<usize>,
    tools: usize,
    lists_probe_name: bool,
    cursors: HashSet<String>,
    digests: HashSet<[u8; 32]>,
}

impl Reader {
    fn list<'t>(&mut self, mut turns: impl Iterator<Item = &'t Turn<'t>>, unrun: &Reason) -> End {
        let Some(first) = turns.next() else {
            return End::NotAsked(unrun.clone());
        };
        let mut end = self.first(first);
        for turn in turns {
            if let Some(end) = end {
                return end;
            }
            end = self.later(turn);
        }
        end.unwrap_or_else(|| End::Incomplete(unread(unrun)))
    }

    /// `None`: there is another page.
    fn first(&mut self, turn: &Turn<'_>) -> Option<End> {
        if let Some(reason) = ended(turn, self.asked) {
            return Some(End::Broke(reason));
        }
        if let Some(reason) = turn.edge() {
            return Some(End::Edge(reason));
        }
        if turn.gate().is_some() {
            return Some(End::Gated(turn.credential_required()));
        }
        if let Some(reason) = turn.unread().filter(|_| turn.is_success()) {
            return Some(End::Unread(reason));
        }
        match self.page(turn) {
            Err(reason) => Some(End::Failed(reason)),
            Ok(page) => self.take(turn, &page),
        }
    }

    fn later(&mut self, turn: &Turn<'_>) -> Option<End> {
        match ended(turn, self.asked) {
            Some(reason) if only_ends_reading(&reason) => {
                return Some(End::Incomplete(cut_short(&reason)));
            }
            Some(reason) => return Some(End::Broke(reason)),
            None => {}
        }
        if let Some(reason) = turn.unread().filter(|_| turn.is_success()) {
            return Some(End::Incomplete(cut_short(&reason)));
        }
        match self.page(turn) {
            Err(_) => Some(End::Incomplete("not_a_list")),
            Ok(page) => self.take(turn, &page),
        }
    }

    /// The page, or why the answer is none. An entry at fault leaves the tools
    /// of a first page readable, see [`Self::take`].
    fn page<'t>(&mut self, turn: &'t Turn<'_>) -> Result<tools::Page<'t>, Reason> {
        let status = turn.status();
        let http_error = || Reason::new(ReasonKey::ToolsListHttpError, &[status.into()]);
        let jsonrpc_error = |code: Option<i64>| {
            let code = code.unwrap_or(0).into();
            Reason::new(ReasonKey::ToolsListJsonrpcError, &[status.into(), code])
        };
        if let Some(to) = turn.redirect() {
            let to = to.as_str().into();
            return Err(Reason::new(
                ReasonKey::ToolsListRedirected,
                &[status.into(), to],
            ));
        }
        let answer = turn.answer();
        if !turn.is_success() {
            let error = answer.and_then(Answer::error);
            let of_access = matches!(status, 401 | 403 | 407);
            return Err(match error {
                Some(error) if (400..500).contains(&status) && !of_access => {
                    jsonrpc_error(error.code)
                }
                _ => http_error(),
            });
        }
        let Some(answer) = answer else {
            return Err(Reason::new(
                ReasonKey::ToolsListNotJsonrpc,
                &[status.into(), turn.content().into()],
            ));
        };
        // An absent resultType is read as "complete"; no other fits a list.
        let kind = answer.result().and_then(|result| result.get("resultType"));
        if self.era == Era::Modern && kind.is_some_and(|kind| kind.as_str() != Some("complete")) {
            return Err(ReasonKey::ToolsListResultType.into());
        }
        let page = tools::page(answer, self.era).map_err(|fault| match fault {
            NotAPage::Error { code } => jsonrpc_error(code),
            NotAPage::NoTools => ReasonKey::ToolsListNotArray.into(),
        })?;
        match page.tools.iter().enumerate().find_map(at_fault) {
            None => Ok(page),
            Some((index, fault)) => {
                if self.pages.is_empty() {
                    // Judged as a whole; what is readable of it can still be scanned.
                    self.pages.push(turn.index);
                }
                Err(Reason::new(
                    ReasonKey::ToolsListEntryInvalid,
                    &[index.into(), fault.into()],
                ))
            }
        }
    }

    /// Takes a page. A server that repeats a cursor, or sends tools that it has
    /// sent before under a new one, would page for ever.
    fn take(&mut self, turn: &Turn<'_>, page: &tools::Page<'_>) -> Option<End> {
        self.pages.push(turn.index);
        self.tools = self.tools.saturating_add(page.tools.len());
        self.lists_probe_name |= page.tools.iter().any(has_probe_name);
        let cause = match page.next {
            Next::End if self.tools <= limits::LIST_TOOLS => return Some(End::Complete),
            Next::End => "tool_limit",
            Next::Unusable => "cursor_invalid",
            Next::TooLong => "cursor_too_long",
            Next::Cursor(_) if self.pages.len() >= limits::LIST_PAGES => "page_limit",
            Next::Cursor(_) if self.tools >= limits::LIST_TOOLS => "tool_limit",
            Next::Cursor(cursor) => {
                let is_new = self.cursors.insert(cursor.to_owned())
                    && digest(page.tools).is_none_or(|digest| self.digests.insert(digest));
                if is_new {
                    return None;
                }
                "cursor_repeated"
            }
        };
        Some(End::Incomplete(cause))
    }
}

/// A tool whose entry makes the list invalid.
fn at_fault((index, tool): (usize, &Value)) -> Option<(usize, &'static str)> {
    Some((index, tools::entry_fault(tool)?.as_str()))
}

fn has_probe_name(tool: &Value) -> bool {
    tool.get("name").and_then(Value::as_str) == Some(PROBE_TOOL_NAME)
}

/// `None` for a page without tools, of which a list may have several, and for
/// one that has no canonical form.
fn digest(tools: &[Value]) -> Option<[u8; 32]> {
    let mut hash = Sha256::new();
    for tool in tools {
        hash.update(canonicalize_value(tool).ok()?.sha256());
    }
    (!tools.is_empty()).then(|| hash.finalize().into())
}

/// The cause for a later page that was not read in full.
fn cut_short(reason: &Reason) -> &'static str {
    match (reason.key(), reason.param("budget")) {
        (ReasonKey::ResponseTooLarge, _) => "too_large",
        (ReasonKey::ResponseHeadersTooLarge, _) => "headers_too_large",
        (ReasonKey::ResponseTooDeep, _) => "too_deep",
        (ReasonKey::ResponseUndecodable, _) => "undecodable",
        (_, Some(Param::Word("requests"))) => "budget_requests",
        _ => "budget_time",
    }
}

/// The cause for a page that is due and was not asked for.
fn unread(unrun: &Reason) -> &'static str {
    match unrun.key() {
        ReasonKey::BudgetExhausted => cut_short(unrun),
        _ => "not_read",
    }
}
