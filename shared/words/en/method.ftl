# The methodology pages: how each check is judged, then the pages themselves.
# An attribute a state that the check can give, as payloads name it.

judged-reachability =
  .UNVERIFIED = The run stopped before the handshake was answered in full: we were asked to come back later, the name did not resolve, the connection failed, an answer was too large, or a budget was used up. This holds even if an earlier request was answered.
  .VERIFIED = The exchange that decided the handshake ended with an HTTP response, whatever its status.

judged-latency_profile =
  .UNVERIFIED = No request was timed, or the handshake stopped at a sign-in challenge; such a run records no times.
  .VERIFIED = At least one request was timed. That is all it says: there is no threshold and no ranking. Every request to the endpoint that got an HTTP response is timed, whatever its status, without our own DNS check and without the body. p50 and p95 are nearest ranks over the `n` timed requests.

judged-transport_type =
  .UNVERIFIED = The run stopped before the handshake was answered in full, as for `reachability`.
  .VERIFIED = The exchange that decided the handshake ended with an HTTP response over this transport, whether or not the handshake itself succeeded.

judged-protocol_revision =
  .FAILED = No revision could be identified: the handshake failed, or names a revision that the protocol does not have.
  .UNVERIFIED = The handshake was answered 401 with a challenge that can be used, a firewall stood in the way, the answer goes beyond what we read, or the run stopped first. A claimed number is then not compared with anything.
  .VERIFIED = A revision of the protocol was identified. We send `server/discover` of 2026-07-28 first; any other answer of 2xx, or of 4xx but 429, is followed by `initialize`, which offers 2025-11-25. It is the revision that was spoken, not the newest that the server has.

judged-discovery_handshake =
  .FAILED = It does not behave as the specification of the identified revision asks. A 401 without a usable challenge, a 403, and a protocol error of 2026-07-28 on the first request are no sign-in wall, and fail too.
  .UNVERIFIED = The answer that decided the handshake was 401 with a well-formed `WWW-Authenticate` challenge, a firewall stood in the way, the answer goes beyond what we read, the revision is unknown, or the run stopped first.
  .VERIFIED = It behaves as the specification of the identified revision asks, the acknowledgement included.

judged-tools_list =
  .FAILED = The structure is not valid. An agent would fail to read such a list.
  .UNVERIFIED = The handshake failed or lies behind a sign-in wall, `tools/list` was answered 401 with a usable challenge, the answer goes beyond what we read, or the run stopped first.
  .VERIFIED = The structure is valid. When a later page cannot be read, reading stops there and the check is judged on the first page; what needs the whole list is then never VERIFIED.

judged-error_taxonomy =
  .OBSERVED_RISK = The answer deviates from the protocol. An agent may not know whether to try again. A result marked `isError` counts, though most SDKs do this.
  .UNVERIFIED = The list was not read to its end, or lists the very name: the call is then not made, as the name may belong to a tool. Or the call was refused with 401 or 403 and no protocol error to judge, or its answer goes beyond what we read.
  .VERIFIED = The call was answered with a JSON-RPC error object.

judged-tls_certificate =
  .FAILED = Expired, not yet valid, the wrong name, or a chain that is broken or leads to no authority that we trust. Each has its own reason.
  .UNVERIFIED = The endpoint speaks plain HTTP, our verifier does not know what the chain uses, or the run stopped before a certificate was seen.
  .VERIFIED = In date at the start of the run, the name matches, and the chain is complete.

judged-redirect_policy =
  .OBSERVED_RISK = A redirect to another host was seen, on any exchange, even if the run stopped afterwards. A redirected POST is recorded and not followed; only metadata requests follow redirects.
  .UNVERIFIED = Nothing was exchanged, so no redirect could be seen.
  .VERIFIED = No redirect to another host was seen.

judged-auth_metadata =
  .OBSERVED_RISK = The challenge or a metadata document is malformed. A fault that was seen counts also when the run stopped afterwards.
  .UNVERIFIED = There was neither a challenge nor metadata, a document goes beyond what we read, or the run stopped before they could be read. A server that asks for no sign-in is in this state, and nothing is wrong with it.
  .VERIFIED = What was seen of the challenge and the metadata is well formed.

judged-tool_description_hygiene =
  .OBSERVED_RISK = One hit or more, even if the list could not be read to its end.
  .UNVERIFIED = No hit, but the list was not read to its end, or there was no list. The tools that were not read were not checked.
  .VERIFIED = No hit, and the list was read to its end.

judged-toolset_fingerprint =
  .FAILED = A tool’s name cannot be brought to canonical form, so there is no value that every reader would compute alike.
  .UNVERIFIED = There is no complete list. Nothing is computed over a part of one.
  .VERIFIED = It could be computed over all pages together. Whether it changed is not judged here. The names are sorted as UTF-16, duplicates kept, the array is written in `nfc-jcs/v1`, and SHA-256 is taken over that. The order of pages and tools does not matter.

judged-schema_fingerprint =
  .FAILED = A tool has no `inputSchema`, or a name or schema cannot be brought to canonical form.
  .UNVERIFIED = There is no complete list. Nothing is computed over a part of one.
  .VERIFIED = It could be computed over all pages together. Whether it changed is not judged here. Each tool gives its `name` and its `inputSchema` as sent, sorted by name; the array is written in `nfc-jcs/v1`, and SHA-256 is taken over that. A description never changes it.

judged-toolset_unchanged_vs_approved =
  .FAILED = Tools were added or removed since the approved release. A renamed tool is one removed and one added.
  .UNVERIFIED = No release was approved, or one of the two lists is not complete.
  .VERIFIED = The tools are those of the approved release.

judged-schema_unchanged_vs_approved =
  .FAILED = The canonical input schema of at least one tool that both lists hold differs.
  .UNVERIFIED = No release was approved, or one of the two lists is not complete.
  .VERIFIED = The canonical input schema of each tool that both lists hold is the same.

## Both kinds of page

method = Method
method-version = Suite mcp, version { $version }
method-checked = What is checked
method-judged = How it is judged
method-judged-note = Only the states that this check can give.
method-not = What it cannot show
method-reasons = Reasons
method-reasons-note = Every reason this check can give, with its key. ‹Names› stand for values. A link to a key does not change.
method-words = What { $names } can be
method-other-word = any other
method-unsigned = Why a run was not signed
method-unsigned-note = The keys that an unsigned page names.
method-try = Try your texts before you publish them:
method-limits = Limits
method-limits-note = Printed from the constants that the code runs on.
method-limit = Limit
method-value = Value
method-corrections = Corrections
method-corrections-note = Older signed results stay as they are, and stay verifiable.
method-corrections-none = None yet. This is the first version of the suite, { $version }. If the meaning of a result ever changes, the version, its date, and what older results then mean will stand here.

limit-requests = Requests of one run, handshake included
limit-seconds = Time for the whole run
limit-seconds-value = { $count } s
limit-bytes = One response, as sent and decoded
limit-headers = All headers of one response together
limit-levels = Levels of nesting of JSON
limit-bytes-value = { $count } bytes
limit-later-requests = Further requests for later pages of a tool list
limit-pages = Pages of one tool list
limit-tools = Tools in one list
limit-redirects = Redirects followed, on metadata requests only
limit-excerpt = Excerpt shown of a hit
limit-description = Description listed as long
limit-characters = { $count } characters
limit-over-characters = over { $count } characters

## One check

method-check-title = { $title }: how it is checked
method-check = Check
method-suite = Suite
method-since = { $suite }, since { $version }
method-answers = Answers
method-never = never { $states }
method-rules = The rules
method-rules-note = Words match in any letter case and as whole words. Name and description are two texts.
method-exactly = Word by word
method-exactly-note = A sentence ends at `. ! ?`, at a newline and at `。！？`; a clause also at `, ;` and `，；`, and for a clause, as for 16, `. ! ?` end it only before white space or at the end of the text. A clause reaches at most 200 characters either way. The words of a phrase may be parted by any white space.
method-rule = Rule
method-looks = Looks for
method-hit = A hit
method-no-hit = Not a hit
method-no-risk = never a risk by itself

rule-H1 = H1 Hidden characters
  .looks = Zero-width characters, the Tag block, direction overrides. Joiners inside the spelling of one script, or between two emoji, do not count.
  .exactly =
    U+200B, U+200C, U+200D, U+2060, U+FEFF; the Tag block U+E0000 to U+E007F; U+202A to U+202E and U+2066 to U+2069.
    No hit: U+200C or U+200D when the nearest characters on both sides, combining marks passed over, are letters of one script that spells with it: Arabic, Syriac, N’Ko, Mongolian, Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Sinhala, Khmer, Myanmar, Tibetan.
    No hit: U+200D directly between two emoji. After a skin tone it is one.
rule-H2 = H2 Length
  .looks = An unusually long description. It is listed only.
  .exactly =
    Characters are code points, as in every limit of these rules.
rule-H3 = H3 “Do not tell the user”
  .looks = `do not`, then tell, inform, mention, reveal or show, then user or human, and what follows.
  .exactly =
    `do not`, one of tell, inform, mention, reveal, show, an optional `the`, then user or human.
    A hit when what follows at once is `about`, `that you`, `what you`, `how you`, `anything`, `any of`, one of `. , ; : ! )`, or the end of the text.
    Also a hit when it is `'s` or `’s`, a hyphen, en dash or em dash after a space or tab, a newline, or one of that, what, why, where, how, this, any. Not then if until, unless, yet, before, after, otherwise, once, while, if or when comes after it (after a newline: in the next line), before the next `. , ; ! ?`, newline or `，。！？；`.
rule-H4 = H4 “System prompt”
  .looks = `your system prompt`, a verb such as reveal, ignore or print before it, or its place at the start of a line.
  .exactly =
    `system prompt` or `developer prompt`, after `your` or `your new`.
    Or after reveal, print, output, repeat, disclose, leak, ignore, override, disregard, forget, show, return, display, replace, dump, echo or `act as`. In between may stand, each optional and in this order: out; the, any, all or your; previous, prior, above, earlier, original or `contents of`; the or your.
    Or at the start of a line, with nothing before it but spaces, tabs and `# * > [ -`, and with a colon or `override` after it, white space allowed.
rule-H5 = H5 Hiding a failed check
  .looks = `never` or `do not`, then say or mention, then missing, unverified or failed in the same clause; not with because, when, if or unless between.
  .exactly =
    `never`, `do not` or `don't` (either apostrophe), then say, mention, tell, disclose, reveal or state; later in the same clause missing, `not verified`, unverified, failed or absent.
    Not when because, when, if, unless, since, as or so stands between the two.
rule-H6 = H6 Spending or identity, unconfirmed
  .looks = 16 phrases near a word for money or identity, unless a limit, a policy or a confirmation stands with them.
  .exactly =
    1. pay, then `by default` in the same sentence, at most 40 characters between.
    2. `no approval` or `no confirmation`, an optional `is`, then needed or required.
    3. `need not ask`. 4. `zero questions`.
    5. `without asking`; not before `for` or `us`, nor when never, not or a word in `n't` stands in the same sentence within the 30 characters before it.
    6. `does not` or `doesn't`, `require`, then per-change, per-action, per-call, per-purchase or per-payment (or with a space), then `approval`.
    7. `the grant`, `the allowance` or `the delegation`, then `is the` or `is your`, then permission, approval or consent.
    8. accept or approve; all, every or any; at most two words; prompt, confirmation, dialog or request, also in the plural.
    9. continues, repeats or recurs, then `automatically`. 10. `agent loop` after the, your or this.
    11. `git config`, any options such as `--get`, then `user.email`.
    12. `never ask`, optionally `the user`, `before`, then charging, paying, buying, purchasing, spending, billing, renewing or subscribing.
    13. 无需确认, 无需另行确认, 视为同意, 视为用户同意.
    14. sell, sells, selling, sellable, resell, resells, reselling or resellable; in the same sentence, at most 80 characters on, entrusted or lent, optionally `to`, then `you`.
    15. raise, increase, disable or `turn off`, optionally the or your, then `spendControls` (also with a dot and a name), `maxAmountPerPayment`, spend or spending with limit, limits, cap or caps, or payment with cap or caps. Or `set` before one of these, optionally `:`, `=` or `to`, then `false` or `0`, with no dot, letter, digit or underscore right after it.
    16. pays, charges or spends; in the same sentence, at most 40 characters on, `from`; then `your owner's`, `the user's`, `your human's` or `the human's` (either apostrophe); then credit, credits, balance, wallet or funds. Not when this sentence or the next, within 400 characters back and 800 on, holds confirm, confirms, confirmed, confirming, confirmation, confirmations, approve, approves, approved, approving, approval or approvals, or ask, asks, asked or asking with `permission` in the same sentence at most 40 characters on.
    A phrase counts only with a word for money or identity within 200 characters before or after it: pay, pays, paid, paying, payer, payment, payments, charge, charges, charged, charging, credit, credits, wallet, wallets, USDC, invoice, invoices, purchase, purchases, purchased, purchasing, buy, buys, buying, subscribe, subscribes, subscribed, subscribing, subscription, subscriptions, renew, renews, renewed, renewal, renewals, bill, bills, billed, billing, cost, costs, fee, fees, refund, refunds, refunded, refundable, spend, spends, spending, money, identity, email, emails, e-mail, e-mails, `$` and a digit, 扣费, 续费, 费用, 支付, 付款, 购买, 订阅, 钱包, 邮箱, 身份.
    It does not count when one of these stands within the 120 characters before it: cap, caps, capped, limit, limits, ceiling, ceilings, max, maximum, policy, policies, mandate, mandates, allowlist, allowlisted, whitelist, whitelisted (also with a hyphen), threshold, thresholds, quota, quotas, 上限, 额度, 限额, 策略, 白名单. This does not hold for 15.
    A word for money or identity does not count when its clause says that nothing is paid or sent: cost or costs, at most two words, nothing; free, but not `feel free`; `no` with charge, charges, cost, costs, fee or fees; does not, doesn't, do not, don't, never, will not or won't with send, collect, store or share, also with s; 免费, 不收费.
    Neither a phrase nor such a word counts when its clause holds `no purchase`, `no purchases`, `read-only`, `read only`, `does not` or `doesn't` with buy, purchase, register or charge, `what it costs`, or `how much`.
rule-H7 = H7 Going on alone
  .looks = `without`, then another, a new or further, then user or human, then message, prompt or turn.
  .exactly =
    `without`, optionally `waiting for`; another, `a further`, `any further`, further, `a new`, `a second`, `an additional` or additional; user or human; prompt, message, request, turn or reply, also in the plural.
rule-H8 = H8 Orders to the assistant
  .looks = Ignore previous; you must always; credential files by name; forged roles; script markup.
  .exactly =
    ignore or disregard, optionally all or any, then previous, prior, above or earlier.
    you; must, should or shall; always or never. `before using any other tool`, `before calling any other tool`.
    read, send, upload, post, exfiltrate, dump or cat, and at most 40 characters on `.env`, `~/.ssh`, `id_rsa`, `.aws/credentials`, `netrc` or `.npmrc`.
    Forged delimiters of roles, such as `<system>`, `</instructions>`, `[INST]`, `<|im_start|>`; script and iframe tags, attributes of events, `javascript:`; characters for private use.
    A tool name with a character outside U+0020 to U+007E is listed with its script, and is no risk by itself.

## The index

method-title = Method and limits
method-lede = What is looked at, how it is judged, and what no result here can show.
method-states = Four states
method-states-note = Of an assertion: what was concluded. Counted apart, never summed.
state-meaning-FAILED = In this run we saw, for this very endpoint, that the check does not hold. It is shown as it is, neither hidden nor softened.
state-meaning-OBSERVED_RISK = We saw something worth a look that is no verdict by itself, such as a description that speaks to an agent instead of a person. A signal, not a verdict.
state-meaning-UNVERIFIED = In this run we could not come to a conclusion, and the reason is given. It does not mean that anything is wrong, and it is never counted as a pass.
state-meaning-VERIFIED = In this run we saw, for this very endpoint, that the check holds.
method-executions = Four executions
method-executions-note = Of a check: how the work went. Kept apart from the state, and never in one count with it.
execution-meaning-completed = The check ran to its end.
execution-meaning-errored = The check began and broke off.
execution-meaning-skipped = There was nothing for the check to look at.
execution-meaning-blocked = Something before the check kept it from running.
method-checks = Fifteen checks
method-checks-note = Of the suite mcp, in four groups. Each has a page with its reasons and limits.
method-run = One run
method-run-note = No credential, and no call of a listed tool.
method-run-text = A run sends `server/discover`, or `initialize` and `notifications/initialized` to an older server, then `tools/list`, then one call of a reserved tool name that no page lists, then the GETs for sign-in metadata. The endpoint itself is never probed with GET. A 429, or a 503 with `Retry-After`, ends the run at once, and the schedule obeys it.
method-signing = When a run is signed
method-signing-note = Claimed or not makes no difference.
method-scope-full = The handshake was done and the tool list was read to its end.
method-scope-limited = The handshake or the tool list was answered 401 with a usable challenge. The signature vouches for reachability, transport, redirects, sign-in metadata and the challenge itself: names only, at most one URL and one digest. All else in the payload is UNVERIFIED with its reason, and the report draws no conclusion for it.
method-scope-none = The list is incomplete, the handshake failed, no connection came about, a server error (5xx) came, or a 401 without a usable challenge; or a check of ours disqualified the run. The page then shows what came back, without any of the four states. When only the signer was out of reach, the run is signed as soon as it is back.
method-days = How days are counted
method-days-note = UTC days; the last { $days }.
day-meaning-answered = Every check of reachability on that day got an answer from the endpoint.
day-meaning-unanswered = At least one did not: the name did not resolve, the connection failed, no complete answer came within the budget, or the handshake was answered with a server error (5xx).
day-meaning-not_counted = Nothing was unanswered, and at least one check could not be decided for a cause of ours: we were asked to come back later, or our own policy refused the connection.
day-meaning-undetermined = We did not look, though we should have. Our gap, never counted against a server.
day-meaning-before = Days before the first check. Not counted, never filled in.
method-days-share = Observed-day reachability is answered days over answered and unanswered days. The number of counted days stands beside it.
method-days-from = A connection failure counts as unanswered from { $connection } on, a server error from { $server } on. Records from before stay as they were.
method-unchanged = “Unchanged for at least N days” is a lower bound: it counts only days since the newest stored tool list that differs from the one before it, and only days on which a run listed the tools.
method-stale = When an observation is stale
method-stale-note = One rule for every tier. A tier changes the cadence and nothing else.
method-stale-text = An observation is marked as old when its age is greater than the cadence of its target and a margin of { $hours } h { $minutes } min. Hours are rounded down. A stale page stays signed.
method-tier = Tier
method-cadence = Cadence
method-stale-after = Stale after
tier-unclaimed = Unclaimed
tier-free = Claimed, Free
tier-indie = Claimed, Indie
method-duration = { $hours } h { $minutes } min
method-does-not = What Touchstone does not do
does-not-source = We look from outside, at a fixed cadence, at one live endpoint. We do not read source code.
does-not-scan = This is no security scan. We do not test for prompt injection, leaks or abuse of rights: that would need calls of real tools, which we never make.
does-not-between = We vouch for nothing between two runs. A clean report is a record of what was looked at and seen, not a guarantee.
does-not-score = We do not sum states into a score, a grade or a rank, and a tier never moves a row.
