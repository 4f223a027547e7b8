# One sentence for each reason key of the suites, parameters as the suites name them.
# `.fix` stands where a finding on a signed page has something that its owner can do.

## What can end a run

reason-rate_limited = { $retry_after_s ->
    [0] The server asked us to come back later, and named no time.
   *[other] The server asked us to come back in { $retry_after_s } s. We do as asked.
  }
reason-response_too_large = A response was larger than the { $limit_bytes } bytes that we read.
reason-response_headers_too_large = The headers of a response were larger than the { $limit_bytes } bytes that we read of them. That is a limit of ours.
reason-response_too_deep = An answer is JSON nested deeper than the { $limit_levels } levels that we read. That is a limit of ours, and says nothing against the server.
reason-dns_failed = { $fault ->
    [name_not_found] The host name has no address.
    [name_server_failed] The name servers of the host answered with a failure.
   *[other] The host name could not be resolved ({ $fault }).
  }
reason-connection_failed = { $fault ->
    [refused] The connection was refused.
    [timed_out] The connection or the answer did not come in time.
    [unreachable] The address could not be reached.
    [lost] The connection was lost before the answer was complete.
    [not_http] What came back is not HTTP.
   *[other] The connection failed ({ $fault }).
  }
reason-tls_failed = { $fault ->
    [expired] TLS was not set up: the certificate has expired.
    [not_yet_valid] TLS was not set up: the certificate is not valid yet.
    [name_mismatch] TLS was not set up: the certificate does not name this host.
    [untrusted] TLS was not set up: the chain leads to no authority that we trust.
    [broken] TLS was not set up: the certificate chain is broken.
    [unsupported] TLS was not set up: the certificate chain uses what our verifier does not know. Undetermined by us.
    [no_certificate] TLS was not set up: no certificate came.
    [broken_off] TLS was not set up: the handshake broke off after a certificate that is valid.
   *[other] TLS was not set up ({ $fault }).
  }
reason-response_undecodable = A response came in a content coding that we did not ask for and do not read. Undetermined by us.
reason-budget_exhausted = { $budget ->
    [requests] The run had used up its { $limit } requests.
    [time] The run had used up its { $limit } s.
   *[other] The run had used up a budget ({ $budget }, { $limit }).
  }
reason-too_many_redirects = A metadata request was redirected more than { $limit } times.
reason-policy_refused = Our own policy does not let us connect there (rule `{ $rule }`).
reason-resolver_unavailable = Our resolver did not answer. Undetermined by us.
reason-agent_fault = Our agent failed. Undetermined by us.
reason-not_recorded = The record of the run ends before this was looked at. Undetermined by us.

## Between us and the server

reason-credential_required = { $scheme ->
    [none] The answer was { $status } and asks for a credential. We never send one, so we could not look.
   *[other] The answer was { $status } and asks for a credential (`{ $scheme }`). We never send one, so we could not look.
  }
reason-edge_challenge = A firewall’s challenge page stood in the way (HTTP { $status }, told by `{ $marker }`). We did not meet the server.
reason-outside_limited_scope = It was seen, but a limited signature does not vouch for it.

## reachability, transport_type, latency_profile

reason-answered = The handshake ended with HTTP { $status }.
reason-transport_answered = { $transport ->
    [streamable_http] Streamable HTTP
   *[other] { $transport }
  }, { $framing ->
    [json] answers framed as JSON.
    [sse] answers framed as SSE.
    [empty] answered without a body.
   *[other] answered in another format.
  }
reason-latency_measured = p50 { $p50_ms } ms, p95 { $p95_ms } ms, n = { $n }. Under 20 requests, p95 is the slowest of them.
reason-no_timed_request = No request of this run was timed.

## protocol_revision, discovery_handshake

reason-revision_spoken = { $handshake ->
    [discover] Spoke { $revision }, found through `server/discover`.
    [initialize] Spoke { $revision }, agreed through `initialize`.
   *[other] Spoke { $revision } ({ $handshake }).
  }
reason-revision_unknown = The server names a revision that the protocol does not have.
reason-handshake_discovered = `server/discover` behaved as { $revision } asks. { $listed ->
    [one] It lists 1 revision, { $first_listed }.
   *[other] It lists { $listed } revisions, { $first_listed } first; their order means nothing.
  }
reason-handshake_initialized = `initialize` behaved as { $revision } asks, { $session ->
    [yes] with a session.
    [no] without a session.
   *[other] session: { $session }.
  }
reason-handshake_refused = A server of revision 2026-07-28 refused the request with protocol error { $code }.
reason-handshake_http_error = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } was answered HTTP { $status }.
reason-handshake_redirected = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } was redirected (HTTP { $status }) { $to ->
    [same_host] to another place on the same host.
    [other_host] to another host.
   *[other] to a place that cannot be read.
  } We record a redirected POST and do not follow it.
reason-handshake_not_jsonrpc = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } was answered HTTP { $status }, { $content ->
    [json] with JSON that is not a JSON-RPC answer.
    [sse] with an event stream that holds no answer.
    [html] with an HTML page.
    [text] with plain text.
    [empty] with an empty body.
    [undecodable] with a body that cannot be decoded.
   *[other] with something that is not JSON.
  }
reason-handshake_jsonrpc_error = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } was answered HTTP { $status } with JSON-RPC error { $code }.
reason-handshake_sse_transport = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } was answered HTTP { $status } with the `endpoint` event of the older SSE transport.
reason-protocol_version_missing = The answer to `initialize` holds no string at `result.protocolVersion`.
reason-handshake_result_invalid = The result of { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } lacks { $field ->
    [capabilities] a valid `capabilities`.
    [server_info] a valid `serverInfo`.
    [result_type] a valid `resultType`.
    [supported_versions] a valid `supportedVersions`.
    [protocol_version] a `protocolVersion` of a revision that has this handshake.
   *[other] a valid { $field }.
  }
reason-acknowledgement_refused = `notifications/initialized` was answered HTTP { $status }, not accepted.

## tools_list

reason-tools_listed = { $tools ->
    [one] 1 tool
   *[other] { $tools } tools
  } on { $pages ->
    [one] 1 page.
   *[other] { $pages } pages.
  } Structure valid, list complete.
reason-tools_listed_in_part = { $tools ->
    [one] 1 tool
   *[other] { $tools } tools
  } on { $pages ->
    [one] 1 page,
   *[other] { $pages } pages,
  } structure valid; the rest was not read: { $cause ->
    [page_limit] it has more pages than we read.
    [tool_limit] it has more tools than we read.
    [budget_time] the time of the run was used up.
    [budget_requests] the requests of the run were used up.
    [too_large] a later page was too large.
    [headers_too_large] a later page came with headers larger than we read.
    [too_deep] a later page was nested deeper than we read.
    [undecodable] a later page came in a content coding that we do not read.
    [not_a_list] a later page was no tool list.
    [cursor_repeated] a cursor came twice.
    [cursor_invalid] a cursor was no text.
    [cursor_too_long] a cursor was longer than we send back.
    [not_read] a later page was not asked for.
   *[other] { $cause }.
  }
reason-tools_list_incomplete = The list was not read to its end: { $cause ->
    [page_limit] it has more pages than we read.
    [tool_limit] it has more tools than we read.
    [budget_time] the time of the run was used up.
    [budget_requests] the requests of the run were used up.
    [too_large] a later page was too large.
    [headers_too_large] a later page came with headers larger than we read.
    [too_deep] a later page was nested deeper than we read.
    [undecodable] a later page came in a content coding that we do not read.
    [not_a_list] a later page was no tool list.
    [cursor_repeated] a cursor came twice.
    [cursor_invalid] a cursor was no text.
    [cursor_too_long] a cursor was longer than we send back.
    [not_read] a later page was not asked for.
   *[other] { $cause }.
  } Read so far: { $tools ->
    [one] 1 tool
   *[other] { $tools } tools
  } on { $pages ->
    [one] 1 page.
   *[other] { $pages } pages.
  }
reason-tools_list_http_error = `tools/list` was answered HTTP { $status }.
reason-tools_list_redirected = `tools/list` was redirected (HTTP { $status }) { $to ->
    [same_host] to another place on the same host.
    [other_host] to another host.
   *[other] to a place that cannot be read.
  } We record a redirected POST and do not follow it.
reason-tools_list_not_jsonrpc = `tools/list` was answered HTTP { $status }, { $content ->
    [json] with JSON that is not a JSON-RPC answer.
    [sse] with an event stream that holds no answer.
    [html] with an HTML page.
    [text] with plain text.
    [empty] with an empty body.
    [undecodable] with a body that cannot be decoded.
   *[other] with something that is not JSON.
  }
reason-tools_list_jsonrpc_error = `tools/list` was answered HTTP { $status } with JSON-RPC error { $code }.
reason-tools_list_not_array = The result of `tools/list` holds no array `tools`.
reason-tools_list_entry_invalid = { $fault ->
    [not_object] Entry { $index } of the tool list is not an object.
    [no_name] Entry { $index } of the tool list has no name that is a string.
   *[other] Entry { $index } of the tool list is not valid ({ $fault }).
  } Entries are counted from 0.
reason-tools_list_result_type = The result of `tools/list` names a `resultType` that it does not have.

## error_taxonomy

reason-error_shape_fits = A call of a tool name that no page lists was answered with JSON-RPC error { $code } (HTTP { $status }).
reason-error_as_result = A call of a tool name that no page lists was answered with a result marked `isError` (HTTP { $status }), where the protocol has an error object. Most SDKs do this.
  .fix = Answer a call of an unknown tool with a JSON-RPC error, code -32602. Your SDK may do so in a newer version.
reason-error_as_success = A call of a tool name that no page lists was answered with a plain result (HTTP { $status }), as if the tool had run.
  .fix = Answer a call of an unknown tool with a JSON-RPC error, code -32602, so that an agent does not take it for a success.
reason-error_not_jsonrpc = A call of a tool name that no page lists was answered HTTP { $status }, { $content ->
    [json] with JSON that is not a JSON-RPC answer.
    [sse] with an event stream that holds no answer.
    [html] with an HTML page.
    [text] with plain text.
    [empty] with an empty body.
    [undecodable] with a body that cannot be decoded.
   *[other] with something that is not JSON.
  }
  .fix = Answer with a JSON-RPC error object, so that an agent knows whether to try again.
reason-error_object_malformed = A call of a tool name that no page lists was answered HTTP { $status } with an error object whose { $field ->
    [code] `code` is not a whole number.
    [message] `message` is not a string.
   *[other] { $field } is not valid.
  }
  .fix = Give the error object a whole number as `code` and a string as `message`.
reason-probe_tool_name_unverifiable = The list was not read to its end, so the name we would call may belong to a tool. The call was not made.
reason-probe_tool_name_collision = A page lists the very name that we would call. The call was not made.

## tls_certificate

reason-certificate_valid = { $days_left ->
    [one] In date for 1 more day,
   *[other] In date for { $days_left } more days,
  } name matches, chain complete.
reason-certificate_expired = { $days ->
    [0] A certificate above the server’s own has expired.
    [one] Expired 1 day ago.
   *[other] Expired { $days } days ago.
  }
reason-certificate_not_yet_valid = { $days ->
    [0] A certificate above the server’s own is not yet valid.
    [one] Valid only in 1 day.
   *[other] Valid only in { $days } days.
  }
reason-certificate_name_mismatch = The certificate does not name this host.
reason-certificate_untrusted = The chain leads to no authority that we trust. An intermediate may be missing.
reason-certificate_broken = A signature or an encoding in the certificate chain does not hold.
reason-plain_http = The endpoint speaks plain HTTP; there is no certificate.

## redirect_policy

reason-no_cross_host_redirect = { $redirects ->
    [0] No redirect was seen.
    [one] 1 redirect, within the host.
   *[other] { $redirects } redirects, all within the host.
  }
reason-cross_host_redirect = { $redirects ->
    [one] 1 redirect to another host,
   *[other] { $redirects } redirects to another host,
  } { $on ->
    [endpoint] on the endpoint.
    [metadata] on sign-in metadata.
    [both] on the endpoint and on sign-in metadata.
   *[other] on { $on }.
  }
  .fix = Serve the endpoint and its metadata where they are announced, or announce the place that they moved to.
reason-nothing_exchanged = Nothing was exchanged, so no redirect could be seen.

## auth_metadata

reason-challenge_well_formed = { $scheme ->
    [none] The challenge is well formed.
   *[other] The `{ $scheme }` challenge is well formed.
  } It names no metadata, and none was found.
reason-metadata_well_formed = { $scheme ->
    [none] No challenge was seen; { $documents ->
        [one] 1 metadata document is well formed.
       *[other] { $documents } metadata documents are well formed.
      }
   *[other] The `{ $scheme }` challenge is well formed, and so { $documents ->
        [one] is 1 metadata document.
       *[other] are { $documents } metadata documents.
      }
  }
reason-challenge_malformed = HTTP { $status } came with a `WWW-Authenticate` that does not follow the grammar of RFC 9110.
  .fix = Send `WWW-Authenticate` as a scheme and parameters, each parameter once, its value quoted.
reason-challenge_parameter_repeated = The challenge has a parameter more than once.
  .fix = Write each parameter once.
reason-challenge_quoting = The challenge can be read, but is quoted or spaced as the grammar does not allow.
  .fix = Put the value of each parameter into double quotes, and part the parameters by commas.
reason-challenge_metadata_url_invalid = The challenge names `resource_metadata`, but not as an absolute http or https address.
  .fix = Write the full address of the metadata, with its scheme and host.
reason-challenge_metadata_url_credentials = The challenge names an address for `resource_metadata` that holds a user name or a password. We do not go there.
  .fix = Write the address without a user name and a password; metadata is read by anybody.
reason-challenge_scope_unsupported = The challenge asks for a scope that the metadata does not list as supported.
  .fix = List the scope in `scopes_supported`, or ask for one that is listed.
reason-metadata_http_error = { $document ->
    [resource] The resource metadata
    [server] The metadata of the authorization server
   *[other] The { $document } metadata
  } that was named was answered HTTP { $status }.
  .fix = Serve the document at the address that the challenge names.
reason-metadata_malformed = { $document ->
    [resource] In the resource metadata
    [server] In the metadata of the authorization server
   *[other] In the { $document } metadata
  } { $fault ->
    [not_json] there is no JSON.
    [not_object] there is no JSON object.
    [resource_missing] `resource` is missing.
    [resource_invalid] `resource` is not an address.
    [authorization_servers_missing] `authorization_servers` is missing.
    [authorization_server_invalid] an authorization server is not a valid address.
    [issuer_missing] `issuer` is missing.
    [endpoint_missing] a required endpoint is missing.
    [endpoint_insecure] an endpoint is not https.
   *[other] something is not valid ({ $fault }).
  }
  .fix = Complete the document as RFC 9728 (resource) or RFC 8414 (authorization server) asks.
reason-metadata_resource_mismatch = `resource` in the metadata is not this endpoint: { $difference ->
    [origin] another origin.
    [parent_path] a path above it.
    [trailing_slash] a slash at the end differs.
    [path] another path.
   *[other] { $difference }.
  }
  .fix = Set `resource` to the exact address of the endpoint.
reason-metadata_issuer_mismatch = `issuer` in the metadata is not the address that it was asked for under.
  .fix = Set `issuer` to the address by which the resource metadata names the authorization server.
reason-server_metadata_not_found = The resource metadata names an authorization server, and no known place holds its metadata.
  .fix = Serve the metadata of the authorization server at a well-known address (RFC 8414).
reason-not_observable = No challenge and no metadata were seen, so there was nothing to judge.

## tool_description_hygiene

reason-hygiene_no_hit = { $tools ->
    [one] No hit in the name and description of 1 tool.
   *[other] No hit in the names and descriptions of { $tools } tools.
  }
reason-hygiene_hits = { $hits ->
    [one] 1 hit,
   *[other] { $hits } hits,
  } in { $tools ->
    [one] 1 tool.
   *[other] { $tools } tools.
  } A signal, not a verdict.
  .fix = Say in the description what the tool does, to a reader who decides; take out hidden characters.

## toolset_fingerprint, schema_fingerprint

reason-fingerprint_computed = { $tools ->
    [one] Over 1 tool on all pages.
   *[other] Over { $tools } tools on all pages.
  }
reason-fingerprint_not_canonical = Tool { $tool } of the list, counted from 0, cannot be brought to canonical form: { $cause ->
    [lone_surrogate] an unpaired surrogate in a string.
    [duplicate_key_after_nfc] two keys of one object become equal.
    [non_finite_number] a number beyond what a double holds.
   *[other] { $cause }.
  }
  .fix = Send text and numbers that every JSON reader reads alike.
reason-input_schema_missing = { $tools ->
    [one] 1 tool has no `inputSchema`.
   *[other] { $tools } tools have no `inputSchema`.
  }
  .fix = Give each tool an `inputSchema`; for a tool without parameters an empty object schema.

## toolset_unchanged_vs_approved, schema_unchanged_vs_approved

reason-no_approved_baseline = No release was approved, so there is nothing to compare with.
reason-baseline_unusable = The approved run holds no complete tool list to compare with.
reason-toolset_unchanged = { $tools ->
    [one] The same tool name as in the approved release.
   *[other] The same { $tools } tool names as in the approved release.
  }
reason-toolset_changed = { $added ->
    [one] 1 tool added,
   *[other] { $added } tools added,
  } { $removed ->
    [one] 1 removed
   *[other] { $removed } removed
  } since the approved release.
  .fix = If you meant it, approve this run as the new baseline. If not, restore the approved tools.
reason-schemas_unchanged = { $tools ->
    [one] The same input schema as in the approved release.
   *[other] The same { $tools } input schemas as in the approved release.
  }
reason-schemas_changed = { $changed } of { $compared } input schemas { $changed ->
    [one] differs
   *[other] differ
  } from the approved release.
  .fix = If you meant it, approve this run as the new baseline. If not, restore the approved schemas.
reason-comparison_unavailable = { $side ->
    [run] The tools of this run could not be brought to canonical form, so they were not compared.
    [baseline] The approved tools could not be brought to canonical form, so nothing was compared.
   *[other] Nothing was compared ({ $side }).
  }

## Why a run was not signed

reason-server_error = The answer that decided the handshake was a server error (5xx).
reason-challenge_unusable = The answer was 401 without a challenge that can be used.
reason-disqualified = A check of ours on the record itself disqualified this run. The cause is ours.
reason-signer_unreachable = The signer was out of reach. The run is signed as soon as it is back.

# The same without parameters: a run that was not signed names only the key.
signing-rate_limited = The server asked us to come back later, so the run ended.
signing-response_too_large = A response was larger than we read, so the run ended.
signing-response_headers_too_large = The headers of a response were larger than we read, so the run ended. The limit is ours.
signing-response_too_deep = An answer is nested deeper than we read, so there is nothing to sign. The limit is ours.
signing-dns_failed = The host name could not be resolved, so there is nothing to sign.
signing-connection_failed = The connection failed or was lost, so there is nothing to sign.
signing-tls_failed = TLS was not set up, so there is nothing to sign.
signing-response_undecodable = An answer came in a content coding that we do not read, so there is nothing to sign.
signing-budget_exhausted = The budget of the run was used up before it was complete.
signing-too_many_redirects = A metadata request was redirected too often, so the run ended.
signing-policy_refused = Our own policy does not let us connect there. The cause is ours.
signing-resolver_unavailable = Our resolver did not answer. The cause is ours.
signing-agent_fault = Our agent failed. The cause is ours.
signing-not_recorded = The record of the run is not complete. The cause is ours.
signing-edge_challenge = A firewall’s challenge page stood in the way. We did not meet the server.
signing-revision_unknown = The server names a revision that the protocol does not have.
signing-handshake_refused = A server of revision 2026-07-28 refused the handshake.
signing-handshake_http_error = The handshake did not complete, so there is nothing to sign.
signing-handshake_redirected = The handshake was redirected. We do not follow a redirected POST.
signing-handshake_not_jsonrpc = The handshake was answered with something that is not JSON-RPC.
signing-handshake_jsonrpc_error = The handshake was answered with a JSON-RPC error.
signing-handshake_sse_transport = The server answered in the older SSE transport.
signing-protocol_version_missing = The answer to `initialize` names no protocol version.
signing-handshake_result_invalid = The result of the handshake is not valid.
signing-acknowledgement_refused = `notifications/initialized` was not accepted, so the handshake did not complete.
signing-tools_list_incomplete = The tool list was not read to its end.
signing-tools_list_http_error = `tools/list` was answered with an HTTP error.
signing-tools_list_redirected = `tools/list` was redirected. We do not follow a redirected POST.
signing-tools_list_not_jsonrpc = `tools/list` was answered with something that is not JSON-RPC.
signing-tools_list_jsonrpc_error = `tools/list` was answered with a JSON-RPC error.
signing-tools_list_not_array = The result of `tools/list` holds no array `tools`.
signing-tools_list_entry_invalid = An entry of the tool list is not valid.
signing-tools_list_result_type = The result of `tools/list` names a `resultType` that it does not have.
signing-server_error = The handshake was answered with a server error (5xx), so there is nothing to sign.
signing-challenge_unusable = The answer was 401 without a challenge that can be used, so there is nothing to sign.
signing-disqualified = A check of ours on the record itself disqualified this run. The cause is ours.
signing-signer_unreachable = The signer was out of reach. The run is signed as soon as it is back.
signing-refused = The signer did not accept the record of this run. The cause is ours.
