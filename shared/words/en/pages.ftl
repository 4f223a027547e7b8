# Texts of the pages themselves: what is the same everywhere first, then page by page.

site-description = Signed observations of public MCP servers, seen from outside.
skip = Skip to content
nav-main = Main
nav-crumbs = Breadcrumb
nav-servers = Servers
nav-keys = Keys
nav-method = Method
theme-dark = Dark
theme-light = Light
copy = Copy
copied = Copied
command-name = Command
command-label = command { $number }
stop = .
clause = .
reason = Reason:
cannot-show = What this does not show
region = Region
not-recorded = not recorded
not-computed = not computed
stale = observation { $hours } h old
notices = Notices
cadence-hours = { $number } h
cadence-minutes = { $number } min

foot-claims = What these pages do not claim
foot-claims-text = We record what can be seen from outside: when, from where, and what came back. A clean report is not a guarantee, and says nothing of the time between two runs.
foot-check = Check it yourself
foot-method = Method and limits
foot-keys = Keys and their windows
foot-status = Status of our own fleet
foot-keys-json = The key document, for programs
foot-log = The log of all that was signed

## Problems

problem-not-found = There is no page at this address
problem-not-found-text = The address may be misspelled, or belong to another version of this site.
problem-no-target = There is no such target or run
problem-no-target-text = No target is watched under this name, or it has no run of this id.
problem-no-evidence = There is no evidence under this id
problem-no-evidence-text = No run of this id is known, or the run is not signed. What is not signed has no evidence to check; its report shows what came back.
problem-no-run = There is no such run
problem-no-run-text = The target is not known, or it has no run of this id, or the run was pruned: runs and their evidence are kept for { $days } days. What each day said of a target is kept for ever.
problem-no-key = There is no key under this id
problem-no-key-text = The key document names no such key, or more than one key whose id starts so.
problem-bad-request = This address cannot be read
problem-bad-request-text = A value in the address is not one that this page takes.
problem-method-not-allowed = Pages are only read
problem-method-not-allowed-text = Addresses of this site answer GET and HEAD.
problem-unavailable = The store is out of reach
problem-unavailable-text = The cause is ours. Evidence that you downloaded and keys that you keep are not affected. Try again in 30 seconds.
problem-broken = This page could not be made
problem-broken-text = The cause is ours. The data are whole; only the page is not.
problem-home = To the servers

## Directory

directory-title = Public MCP servers, seen from outside
directory-heading = What public MCP servers did, seen from outside and signed
directory-lede = Touchstone looks at MCP servers from outside, writes down what came back, and signs it. Everything it says can be checked without trusting it.
directory-search-label = An endpoint, or a part of one
directory-search = Search
directory-as-of = As of { $moment }: { $count ->
    [one] 1 server.
   *[other] { $count } servers.
  }
directory-all = { $count ->
    [one] 1 server
   *[other] { $count } servers
  }
directory-results = { $count ->
    [one] 1 server matches
   *[other] { $count } servers match
  }
directory-order = By name. A tier never changes the order.
directory-nothing = No server is listed
directory-nothing-like = No server matches
directory-show-all = Show all
directory-next = Next servers
directory-observed = Observed
directory-days = 30 days: { $answered } of { $counted } counted days answered
directory-no-day = 30 days: none counted yet
directory-narrow = Narrow the list
directory-narrow-note = All filters are in the address of this page.
directory-signature = Signature
directory-any = any
directory-full = full
directory-limited = as far as the sign-in wall
directory-none = none
directory-apply = Apply
directory-add = Not listed?
directory-add-text = Whoever runs this site names the servers that it watches. You can check any server now, on your own machine:

## Head and seal of a report

report-title-full = { $name }: signed observation
report-title-limited = { $name }: signed as far as the sign-in wall
report-title-none = { $name }: observed, not signed
report-title-pending = { $name }: observed, not signed yet
report-title-unobserved = { $name }: not yet checked
head-endpoint = Endpoint
head-endpoint-run = Endpoint of this run
head-from-payload = from the signed payload
head-from-record = from our own record, unsigned
head-observed = Observed
head-region = from { $region }
head-cadence = Cadence
head-every = every { $cadence }
head-tier-unclaimed = not claimed; next at { $next }
head-tier-free = claimed, tier Free; next at { $next }
head-tier-indie = claimed, tier Indie; next at { $next }
seal-full = Every state on this page is in one signed payload. You can check it without trusting us.
seal-limited = The server asked for a credential. We never send one, so the signature vouches for what stands in front of the wall, and for nothing behind it.
seal-unknown-schema = The payload is signed. This site has no schema for its version, so what it says is not shown.
seal-unobserved = No run has looked at this server yet.
seal-pending = The observation is stored and waits for the signer. Until it is signed, this page shows what came back and draws no conclusion.
seal-pending-tried = The observation is stored. The signer was out of reach, and is asked again. Until then this page shows what came back and draws no conclusion.
seal-none = { $why } Reason: `{ $key }`.
seal-none-page = This page shows what came back. It draws no conclusion, gives no score, and cannot be checked by a third party.
seal-check = Check the evidence

notice-earlier = This is an earlier run.
notice-earlier-text = What it shows was true when it was observed.
notice-earlier-link = To the newest run
notice-stale = Observation { $hours } h old.
notice-stale-text = This target’s cadence is { $cadence }; a run counts as stale 4 h 40 min after that. What you see below was true on { $moment }.
notice-schema = The payload’s version is not known here.
notice-schema-text = Its signature can be checked. What it says cannot be shown, since this site has no schema for it and does not guess.
notice-pending = Observed, not signed yet.
notice-pending-text = Stored { $moment }. The signer is about to look at it. There is nothing for you to do.
notice-pending-tried-text = Stored { $moment }. The signer was asked { $attempts ->
    [one] once
   *[other] { $attempts } times
  } and did not answer. The observation is kept, and is signed as soon as the signer is back. There is nothing for you to do.
notice-ours = Not signed, and it is us.
notice-ours-text = The cause lies on our side and not with the server. There is nothing for you to do.

## What a run found

found = What this run found
found-note = Four states, counted apart. UNVERIFIED is never taken for a pass.
found-executions = Executions, counted apart:
kv-check = Check
kv-reason = Reason
kv-fix = Fix
kv-cannot-show = Does not show
hit-hygiene = Rule { $rule }, byte { $offset } of the { $field }
hit-added = added since the approved release
hit-removed = removed since the approved release
hit-schema = differs from the approved schema
hit-redirect = HTTP { $status }, to another host
hits-more = { $count } more are in the run’s record.
checks = All checks
checks-note = In a fixed order, so that two runs can be laid side by side.
checks-see = See the finding
checks-other = Other checks
checks-other-note = Checks of a suite that is newer than this page.

## Days, regions, runs

days = Does it answer
days-note = The last 90 UTC days, all regions.
days-note-limited = The last 90 UTC days, all regions. An answer of 401 is an answer.
days-note-plain = The last 90 UTC days, all regions. Drawn without colour: nothing here is signed.
days-counted = Observed-day reachability: { $answered } of { $counted } counted days answered, of the last 90
days-counted-plain = counted days answered, of the last 90
days-of = of { $counted }
days-none-counted = Observed-day reachability: no day of the last 90 counts yet
days-table = The same 90 days as a table
days-table-name = 90 days, one row a day
days-day = UTC day
days-recorded = Recorded as
days-runs = Runs answered / all
days-signed = Signed runs
days-missed = Slots we missed
times-measured = p50 of this run, p95 { $p95 } ms, n = { $n }, from { $region }
unchanged-days = { $days ->
    [one] day
   *[other] days
  }
unchanged-changed = Tool list unchanged for at least this long, since { $since }; a lower bound
unchanged-first = No change of the tool list seen since the first one, of { $since }; a lower bound
times-limited = Request times: the run stopped at the challenge
day-not_yet = not due yet today
strip-title = { $from } to { $to }
strip-answered = { $days ->
    [one] 1 day answered
   *[other] { $days } days answered
  }
strip-before = { $days } before first check
strip-unanswered = unanswered on { $days }
strip-not_counted = not counted: { $days }
strip-undetermined = undetermined by us: { $days }
missed = Slots that we missed
missed-note = Slots that passed without a run. The cause is ours, or the server asked us to wait; it never counts against the server.
missed-cut = Only the newest are listed.
missed-slots = Slots
missed-count = How many
missed-cause = Why
missed-no_agent = no agent of the region was connected
missed-coordinator_down = our coordinator did not run
missed-capacity = our agents had no room
missed-lease_expired = an agent took it and did not report in time
missed-asked_to_wait = the server asked us to wait longer
missed-host_busy = another run on the same host took the slot
regions = Do regions agree
regions-note = One endpoint, the newest run of each region.
regions-table = Newest run of each region
regions-turns = Regions take turns, so each row has its own time.
regions-reach = Reachability
regions-at = Run at
regions-all-answered = All { $regions } regions got an answer.
regions-all-unanswered = None of { $regions } regions got an answer.
regions-differ = { $answered } of { $regions } regions got an answer; not: { $others }.
regions-one-answered = Only one region looked: { $region } got an answer.
regions-one-unanswered = Only one region looked: { $region } got no answer.
regions-none = No region could look. Undetermined by us.
runs = Runs
runs-note = The newest { $shown } of { $all }, each with a page of its own.
runs-summary = Runs, newest first
runs-at = Run at
runs-signature = Signature

## Tools, evidence in short, twins

tools = Tools and contract
tools-count = Tools
tools-server = Calls itself
tools-server-note = the server’s own account, unsigned
tools-names = { $count ->
    [one] The 1 tool name
   *[other] The { $count } tool names, in UTF-16 order
  }
tools-more = { $count } more
tools-notes = Noted about single tools, changing no state
tools-unsigned = Count and fingerprints are signed. Names and notes come from our unsigned record of the same run.
tool-note-input_schema_missing = has no `inputSchema`
tool-note-input_schema_invalid = has an `inputSchema` that is no object schema
tool-note-duplicate_name = shares its name with another tool
tool-note-name_shape = has a name that does not follow the recommended form
tool-note-odd_name = has a name with characters that are rarely seen in names
tool-note-long_description = has a description of more than 2,048 characters
baseline = Baseline
baseline-none = none approved; changes are recorded and not judged
baseline-none-then = none was approved when this run was signed
baseline-in-force = Baseline in force
baseline-approved = approved
baseline-run = the run of
drift = Differences from the baseline
drift-added = Added
drift-removed = Removed
drift-schema = Another schema
drift-approved = approved
drift-observed = observed
drift-absent = nothing
drift-cut = and more differences than are written down
drift-more = { $count ->
    [one] 1 more difference
   *[other] { $count } more differences
  }
suite-commit = at commit { $commit }
suite-no-commit = built without its git history
suite-dirty = with changes that the commit does not hold
evidence = Evidence
evidence-key = Key
evidence-link = the evidence page
evidence-more = Every command, one of them with nothing but OpenSSL, stands on
use = For programs

## Behind the sign-in wall

vouch = What the signature covers
vouch-note = Four checks and the challenge.
challenge = The challenge
challenge-scheme = Scheme
challenge-names = Parameter names
challenge-no-names = none
challenge-names-note = names only; their values are not signed, and stand in the raw observation that the bundle encloses
challenge-url = One URL
challenge-no-url = none named
challenge-digest = One digest
challenge-no-digest = none recorded
behind = Behind the wall
behind-note = This page draws no conclusion from these.
behind-before = In the signed payload, { $count } checks are
behind-reasons = , with the reasons
behind-after = That means what it says: we could not look, or do not vouch for it. It does not mean that anything is wrong, and it is not a pass.
intended = Is sign-in intended?
intended-yes = If it is:
intended-yes-text = there is nothing to fix. A server whose tools are for signed-in users is meant to look like this.
intended-no = If the server is meant to be found:
intended-no-text = let `server/discover`, `initialize`, `notifications/initialized` and `tools/list` through without a credential, and leave `tools/call` as it is. What a caller can do does not change. Test it:
intended-open = Open to everyone:
intended-walled = Behind the wall:

## Not signed

saw = What came back
saw-note = Every exchange of the run, as it was.
saw-table = Exchanges of the run
saw-sent = We sent
saw-came = Came back
saw-body = Body
saw-headers = Headers after
saw-page = page { $number }
saw-hop = redirect { $number }
saw-nothing = nothing
saw-no-exchange = No request was sent.
saw-get = We never send GET to an endpoint, so what GET returns was not looked at.
saw-tls-none = No certificate was seen.
saw-tls-valid = The certificate was in date, its name matched, and its chain was complete.
saw-tls-expired = The certificate had expired.
saw-tls-not-yet-valid = The certificate was not valid yet.
saw-tls-name-mismatch = The certificate did not name this host.
saw-tls-untrusted = The chain led to no authority that we trust.
saw-tls-broken = The certificate chain did not hold.
saw-tls-unsupported = The certificate chain uses what our verifier does not know, so it was not judged.
saw-tls-no-certificate = TLS was tried, and no certificate came.
saw-redirects = { $count ->
    [0] No redirect was seen.
    [one] 1 redirect was seen.
   *[other] { $count } redirects were seen.
  }
saw-cut = A response was not read to its end.
saw-stop-rate-limited = { $seconds ->
    [0] The run then stopped: the server asked us to come back later.
   *[other] The run then stopped: the server asked us to come back in { $seconds } s.
  }
saw-stop-exchange = The run then stopped: the last exchange failed.
saw-stop-requests = The run then stopped: its requests were used up.
saw-stop-time = The run then stopped: its time was used up.
noted = Noted
noted-note = What answers did beyond the plain form of the protocol and was read all the same. It changes no state. This list is not signed.
noted-jsonrpc_version = the answer does not say `jsonrpc` 2.0
noted-id_missing = the answer has no id
noted-id_null = the id of the answer is null
noted-id_type_changed = the id of the answer came back as another type
noted-id_foreign = the id of the answer is not ours
noted-bom = a byte order mark stands before the JSON
noted-batch = the answer stands in an array, which only revision 2025-03-26 allows
noted-result_and_error = the answer has both `result` and `error`
noted-error_code = the error has no integer `code`
noted-error_message = the error has no text as its `message`
noted-sse_bom = the stream begins with a byte order mark
noted-sse_empty_data = the stream holds an event without data
noted-sse_comment = the stream holds comments
noted-sse_other_message_before = other messages came before the answer
noted-sse_event_error = the answer came as `event: error`
noted-sse_event_endpoint = the stream holds `event: endpoint`, as the transport of 2024-11-05 does
noted-sse_unterminated = the blank line after the answer’s event never came
noted-sse_foreign_id = the id of the answer in the stream is missing, null or not ours
noted-version_not_string = an entry of `supportedVersions` is no text
noted-capabilities = `capabilities` is missing or no object
noted-result_type_missing = `resultType` is missing
noted-result_type = `resultType` is not `complete`
noted-ttl_ms = `ttlMs` is missing or no whole number from 0 up
noted-cache_scope = `cacheScope` is missing, or neither `public` nor `private`
noted-server_info_top_level = `serverInfo` stands at the top level, where drafts had it
noted-server_info = `serverInfo` is missing, or has no name or version
noted-acknowledgement_not_202 = the acknowledgement was answered with another status than 202
noted-acknowledgement_body = the acknowledgement was answered with a body
noted-more = { $count ->
    [one] 1 more is not listed.
   *[other] { $count } more are not listed.
  }
failure-unspecified = it failed, and the record does not say how
failure-name_not_found = the host name has no address
failure-name_server_failed = the name servers answered with a failure
failure-resolver_unavailable = our resolver did not answer
failure-policy_refused = our own policy does not let us connect there
failure-connect_refused = the connection was refused
failure-connect_timed_out = no connection in time
failure-connect_unreachable = the address could not be reached
failure-connection_lost = the connection was lost
failure-tls = TLS was not set up
failure-timed_out = no complete answer in time
failure-too_large = larger than we read
failure-headers_too_large = headers larger than we read
failure-not_http = not HTTP
failure-undecodable = could not be decoded
failure-budget_requests = not sent: the requests of the run were used up
failure-budget_time = not sent: the time of the run was used up
failure-too_many_redirects = more redirects than we follow
failure-agent = our agent failed
why = Why it is not signed
why-note = Five causes, in the order in which they are easiest to check. Commands are for this very endpoint.
next = What happens next
next-due = The next run is due at { $moment }.
next-text = As soon as a run completes the handshake and reads the whole tool list, it is signed, whether or not the server is claimed.
next-ours = When a run is unsigned for a reason of ours, this page says so in place of the five causes.
first = Not yet checked
first-heading = First run due by
first-before = We will send at most { $requests } requests in { $seconds } seconds to
first-after = , without any credential, and call none of its tools.

## Evidence

evidence-title = Evidence: { $name }
evidence-heading = Evidence of one run
evidence-about = About
evidence-run = Run
evidence-run-note = from { $region }, slot { $slot }
evidence-signed = Signed
evidence-seal = One payload, one signature
evidence-seal-text = Nothing below asks you to trust this page. Command 3 needs only OpenSSL, and no software of ours.
evidence-to-commands = Go to the commands
evidence-what = What is signed
evidence-what-note = An in-toto statement inside a DSSE envelope.
evidence-payload = Payload
evidence-payload-size = { $bytes } bytes, nfc-jcs/v1
evidence-payload-note = What is signed are the { $bytes } bytes without this spacing:
evidence-payload-exact = the exact bytes
evidence-payload-spaced = The payload, spaced out for reading
evidence-envelope = Envelope
evidence-the-envelope = The envelope
evidence-envelope-exact = the exact bytes
evidence-sigstore = the same as a sigstore bundle, v0.3
evidence-schema = JSON Schema of payload version { $version }
evidence-suite-dirty = The program that judged was built from files with changes that commit { $commit } does not hold. The suite digest stands for that commit, not for these changes.
evidence-suite-unknown = The program that judged was built without its git history. So the payload names neither a commit nor a suite digest.
evidence-observation = Observation
evidence-observation-note = the agent’s bytes, before any judgement
evidence-agent = Agent
evidence-agent-note = the key that signed the observation
evidence-scope = Scope
evidence-log = Log entry
evidence-log-note = its place in the log; the bundle carries the proof
evidence-log-link = The entry in the log
evidence-suite = Suite
evidence-the-key = The key
evidence-key-state = State now
evidence-key-unknown = not in the key document that this site holds
evidence-key-note = Do not take the key from this page alone. Compare it with a key document that you fetched earlier, or from another place.
evidence-unknown-version = Payload version { $version } is not known here.
evidence-unknown-version-text = The signature can be checked. What the payload says cannot be judged, since this site has no schema for it and does not guess.
verify = Check it yourself
verify-note = Every command is filled in for this run and works as printed.
verify-expected = Expected:
verify-download = Download the bundle, its sigstore form, the key document and the key
verify-all = Check everything, offline
verify-all-about = Signature, state of the key, canonical form, schema, that the observation is the one that is named, and that the envelope stands in the log.
verify-openssl = Check the signature with nothing but OpenSSL
verify-openssl-about = Ed25519 over the DSSE pre-authentication bytes. `sed` only takes the two parts out of the bundle.
verify-python = Check the signature with securesystemslib
verify-python-about = The library of in-toto and TUF, from PyPI. It prints the id of the key.
verify-sigstore = Check the signature with @sigstore/verify
verify-sigstore-about = The verifier of the sigstore project, from npm. Nothing of sigstore’s own log or certificates is asked for, since the key is in your hands. It prints the id of the key.
verify-suite = Recompute the suite digest
verify-suite-about = In a clone of the public repository. It names the code that judged.
verify-fingerprints = Recompute the fingerprints
verify-fingerprints-about = Two short scripts that depend on nothing, over the pages of `tools/list` as they were read. Each prints all of them. Read them first; they also stand in the public repository, in `shared/canonical`.
verify-replay = Replay the judgement
verify-replay-about = Evaluates the agent’s bytes again and compares the payload, byte for byte.
verdicts = What an answer means
verdicts-note = “False” and “cannot tell” are two things, with two exit codes.
verdict-answer = Answer
verdict-when = When
verdict-exit = Exit
verdict-valid = valid
verdict-valid-when = Everything above holds. A key that was retired since stays good for what it signed in its window.
verdict-invalid = invalid
verdict-invalid-when = Signature, digest, canonical form or replay does not match, or the key was revoked.
verdict-undecidable-key = undecidable: unknown key
verdict-undecidable-key-when = Your key document does not hold this key. Fetch a newer one.
verdict-undecidable-schema = undecidable: unknown schema
verdict-undecidable-schema-when = A payload version that your program has no schema for. It does not guess.

## Keys

keys = Keys
keys-title = Keys
keys-lede = Every key that this service signs with, what it is for, and when it counts.
keys-version = Key document, version { $version }.
keys-attestation = Attestation keys
keys-attestation-note = They sign the evidence. Newest first.
keys-axis = { $from } to { $to }; ticks are quarters, the upright line is today, { $now }
key-id = Key id
keys-windows-head = Windows
keys-windows = Windows of key { $key }
keys-state = State
keys-legend-pending = pending: announced, does not sign yet
keys-legend-active = active: signs
keys-legend-retired = retired: what it signed stays valid
keys-legend-revoked = revoked: not trusted any more
keys-retired = Retired is not revoked.
keys-retired-text = A retired key was good in its window, and what it signed then stays valid. A revoked key is not to be believed.
keys-active = The active key
keys-no-active = No attestation key is active now. Nothing is being signed.
keys-algorithm = Algorithm
keys-purpose = Purpose
keys-active-since = In use
keys-id-note = Key id: SHA-256 over the SubjectPublicKeyInfo. It is a hint for finding the key, never a decision.
keys-pinned = Keep a copy
keys-pinned-text = Whoever holds this site could show you other keys. Keep the document that you first fetched, and compare.
keys-well-known = Well-known path
keys-isolation = The process that holds the private keys
keys-isolation-full = It has no network, opens no file outside its own folder, starts no program, and its memory is neither swapped out nor dumped. The signer says so itself; it refuses to start otherwise, unless it is told to.
keys-isolation-weak = It runs on a machine that does not give it every barrier, and was started in spite of it. Missing:
keys-isolation-unknown = Whether it is shut in is not known: since this site started, the signer has not said so.
barrier-core_dumps = core dumps turned off
barrier-tracing = memory closed to other processes
barrier-no_new_privs = no new privileges
barrier-locked_memory = memory that is never swapped out
barrier-landlock = files outside its folder closed (Landlock)
barrier-seccomp = network, programs and processes closed (seccomp)
barrier-other = one that this site does not know by name
keys-others = Other keys
keys-others-note = One key per purpose.
keys-others-more = { $count } more are in the key document.

log-title = The log
log-lede = Every signed envelope stands here, in the order in which it was signed. Nothing can be taken out or put in between without anyone noticing who keeps a checkpoint.
log-search = Run or digest of an envelope
log-search-go = Search
log-head = Checkpoint
log-head-note = The signed head of the log.
log-size = Entries
log-origin = Origin
log-root = Root
log-key = Verifier key
log-checkpoint = Checkpoint
log-tiles-note = Tiles and entries are served beside it, as C2SP tlog-tiles describes.
log-audit = Follow it
log-audit-note = Run this again at any time: it goes on from the checkpoint that it saw last.
log-entries = Entries
log-index = Entry
log-newest = The newest, at most { $count }.
log-nothing = No entry is of this run or envelope.
log-found = Of this run or envelope.
key-signs-from = signs from { $from }
key-since = since { $from }
key-from-to = { $from } to { $to }
key-revoked-from-to = { $from } to { $to }, not trusted since
key-revoked-at = revoked on { $to }
key-not-decided = not decided when
purpose-attestation = Attestation
purpose-log-checkpoint = Log checkpoint
purpose-agent-identity = Agent identity
purpose-agent-issuer = Agent issuer
purpose-web-bot-auth = Web bot auth

## Changes of the tool list: on a report, and on a page of their own

definition = Full definitions
definition-note = a fingerprint of names, titles, descriptions, input and output schemas and annotations; a fact that no check judges
definition-compared = Full definitions against the baseline
definition-same = the same as those of the approved run
definition-differs = they differ from those of the approved run; a fact beside the two checks, which compare names and input schemas alone
definition-not-compared = not compared: one of the two lists has no such fingerprint
drift-description = Another description of
drift-title = Another title of
drift-annotations = Other annotations of
drift-output-schema = Another output schema of
drift-other = Another definition of
changes = Changes of the tool list
changes-title = How the tool list of { $name } changed
changes-heading = Changes of the tool list of
changes-fact = A recorded fact. Only an approved baseline makes a change a finding.
changes-seen = Changes on record
changes-since = Last change
changes-last = Tool list last changed: { $since } (unchanged on at least { $days ->
    [one] 1 day
   *[other] { $days } days
  } since)
changes-first = No change of the tool list seen since the first one, of { $since } (unchanged on at least { $days ->
    [one] 1 day
   *[other] { $days } days
  } since)
changes-no-list = No signed run has read a whole tool list yet
changes-all = { $count ->
    [0] The history of the tool list
    [one] The 1 change on record
   *[other] All { $count } changes on record
  }
changes-how = How a change is seen
changes-how-text = Every complete tool list of a signed run is held against that of the run before it. A run that read no complete list says nothing of the tools: it never counts as tools removed, and a change on either side of it happened somewhere in between. Days are UTC days on which at least one run read the whole list; the number is a lower bound.
changes-how-classes = Widened: a constraint was loosened, so values fit that did not. Narrowed: a constraint was tightened, so values that fitted no longer do. Both can hold at once. They are read keyword by keyword; a field that a schema does not name is read as one that the tool does not take. What cannot be told from the schema is called a change of another kind, and is not guessed.
changes-none = No change was seen
changes-none-kept = No change was seen between runs from { $since } on
changes-kept = Only changes between runs from { $since } on are listed. Earlier runs were pruned; the day of the last change is kept all the same.
changes-between = Between
changes-and = and
changes-gap = { $count ->
    [one] 1 run in between read no complete list
   *[other] { $count } runs in between read no complete list
  }, so when it changed is known no better than this.
changes-not-kept = one of the two lists is too long to be kept, so what changed is not known
changes-table = What changed, tool by tool
changes-tool = Tool
changes-what = What changed
changes-then = Then
changes-now = Now
changes-cut = and more places than are written down
changes-more = { $count ->
    [one] 1 more change
   *[other] { $count } more changes
  }
changes-older = Older changes
changes-fingerprint-then = Full definitions then
changes-fingerprint-now = Full definitions now
changes-part-added = Tool added
changes-part-removed = Tool removed
changes-part-description = Description
changes-part-title = Title
changes-part-annotations = Annotations
changes-part-input-schema = Input schema
changes-part-output-schema = Output schema
changes-count-added = { $count ->
    [one] 1 tool added
   *[other] { $count } tools added
  }
changes-count-removed = { $count ->
    [one] 1 tool removed
   *[other] { $count } tools removed
  }
changes-count-description = { $count ->
    [one] 1 description changed
   *[other] { $count } descriptions changed
  }
changes-count-title = { $count ->
    [one] 1 title changed
   *[other] { $count } titles changed
  }
changes-count-annotations = { $count ->
    [one] annotations of 1 tool changed
   *[other] annotations of { $count } tools changed
  }
changes-count-input-schema = { $count ->
    [one] 1 input schema changed
   *[other] { $count } input schemas changed
  }
changes-count-output-schema = { $count ->
    [one] 1 output schema changed
   *[other] { $count } output schemas changed
  }
changes-class-widened = widened
changes-class-narrowed = narrowed
changes-class-new-required-field = new required field
changes-class-removed-field = field removed
changes-class-annotation-downgraded = promises less
changes-class-annotation-upgraded = promises more
changes-class-wording = words alone
changes-class-other = of another kind
directory-tools = Found by its tools:

## Status and fleet

status-title = Status of our own fleet
status-lede = If every target looks stale, it is us. This page says whether it is.
status-observing = We are observing.
status-observing-text = A run was recorded in the last { $record } minutes, and none has been open for more than { $open }.
status-not-observing = We are not observing as we mean to.
status-unrecorded = No run was recorded in the last { $minutes } minutes. Where few targets are watched this happens without a fault: each is looked at every 12 h, 8 h or 15 min.
status-unfinished = A run that is due has not been finished for more than { $minutes } minutes.
status-dark = No agent is connected in: { $regions }. Slots that pass so are recorded as undetermined by us and count against no target.
status-as-of = As of
status-last = Newest recorded run
status-none-yet = none yet
status-oldest-open = Oldest open run, since
status-none-open = none is open
status-parts = Our own parts
status-store = Store
status-store-ok = results can be stored
status-store-locked = another program holds the database; agents keep their results
status-store-full = there is no space left; agents keep their results
status-store-read_only = the database cannot be written; agents keep their results
status-store-away = the database is out of reach; agents keep their results
status-store-failing = the database fails; agents keep their results
status-signer = Signer
status-signer-reached = in reach
status-signer-away = out of reach; runs wait for it and are signed when it is back
status-isolation-full = shut in with every barrier, as it says itself
status-isolation-weak = some barriers are missing; the page of the keys names them
status-isolation-unknown = it has not said how it is shut in
status-pending = Waiting to be signed
status-pending-runs = { $count ->
    [one] { $count } run
   *[other] { $count } runs
}
status-pending-since = the oldest since
status-regions = Regions
status-seen = Did we see everything?
status-days = Slots: over the last { $days } UTC days, all regions together.
status-targets = Targets watched
status-runs = Runs recorded, ever
status-with-result = Slots with a result
status-conflicts = Results that contradict an earlier one of the same run
status-missed = Slots that passed without a result
status-missed-note = A slot that passed without a result is a row with its reason, on the target’s own page too.
status-missed-none = No slot passed without a result.
status-machines = For programs
fleet-title = Regions of the fleet
fleet-lede = Where we look from, who is there now, and what waits.
fleet-regions = Regions
fleet-connected = Agents connected
fleet-enrolled = Agents enrolled
fleet-queued = Runs waiting
fleet-leased = Runs leased
fleet-oldest-lease = Oldest lease, since
fleet-no-lease = no lease
fleet-last-result = Newest result
fleet-note = A lease that is not reported in time is offered to another agent of the region.
