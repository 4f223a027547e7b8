# The five causes of “observed, not signed”, in the order in which they are easiest to check.

causes-lead = If the server speaks 2026-07-28, run this instead of `initialize`:
causes-fits-one = Judging by the answers above, cause { $number } fits best.
causes-no-answer = The five causes are about a server that answers. In this run none did.
causes-fits-none = None of the five stands out from the answers above.
causes-discover-label = the discover request
causes-command-label = the self-test of cause { $number }

fit-fits = Fits what came back:
fit-does-not = Does not fit:
fit-cannot-tell = Cannot tell:
cause-points-here = Points here:
cause-or = or
cause-fix = Fix:

cause-1 = Sign-in covers the handshake too
  .about = Sign-in middleware stands before the whole endpoint, including methods that need no credential.
  .fix-label = Fix, if the server is meant to be found:
  .fix = let `server/discover`, `initialize`, `notifications/initialized` and `tools/list` through without sign-in. Leave `tools/call` as it is. If sign-in is what you want, answer 401 with a `WWW-Authenticate` challenge: the run is then signed as far as the challenge, and nothing needs fixing.
  .fits = the handshake was answered { $status }.
  .does-not = the handshake was answered { $status }, not 401 or 403.
  .cannot-tell = the handshake was not answered.

cause-2 = Only SSE, no Streamable HTTP
  .about = The server was built for the older transport, in which a client opens a stream with GET. We never send GET to an endpoint.
  .fix = add the Streamable HTTP transport beside the SSE endpoint, or in its place. Most MCP SDKs have had it since 2025; an update may be all it takes.
  .fits = the handshake was answered { $status }.
  .fits-event = the answer came with the `endpoint` event of the older transport.
  .does-not = POST was answered { $status }.
  .cannot-tell = the handshake was answered { $status }, before any transport could show.
  .cannot-tell-silent = the handshake was not answered.

cause-3 = The answer has no `protocolVersion`
  .about = We read one place only: a string at `result.protocolVersion` of an HTTP 200 answer.
  .fix = put `protocolVersion` into the result object of the answer to `initialize`.
  .expect-jq = If `jq` fails, look at the Content-Type: an SSE answer must be unframed first, anything else is not JSON.
  .fits = an answer to `initialize` was read, and no revision stands in it.
  .does-not = the answer names revision { $revision }.
  .cannot-tell = no `initialize` result was seen.

cause-4 = Session headers out of order
  .about = Rare. Somewhere in `initialize`, `notifications/initialized`, `tools/list` the session header is asked for too early, or not given.
  .look-label = Look at
  .look = what your server sends and expects in that sequence. There is no one-line fix.
  .fits = `initialize` was answered, and a later request of the same session was answered { $status }.
  .does-not = every later request of the session was answered.
  .cannot-tell = no session was opened.
  .cannot-tell-session = a session was opened, and what came after it says too little.

cause-5 = Nothing is wrong on your side
  .about = A legacy server may answer `server/discover` with any 4xx except 429. We then try `initialize`. If your answer has that shape, causes 1 to 4 are excluded, and this page still says “not signed”, the fault is ours.
  .nothing-label = If it is this one:
  .nothing = there is nothing for you to do. It is for us to look at this run.
  .fits = nothing that you could put right shows in this run.
  .does-not = { $status } is a status we fall back on, and we did.
  .cannot-tell = only the other four can exclude it.
