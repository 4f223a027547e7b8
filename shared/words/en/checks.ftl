# Titles are nouns: a pass condition beside FAILED would say the opposite of what happened.

check-reachability = Answer within the budget
  .looked-at = Whether the endpoint answers our handshake within the budget of a run.
  .cannot-show = That a run which stopped early found a server that is down. The fault may be in our own network, so such a run is UNVERIFIED and not FAILED.

check-latency_profile = Request times
  .looked-at = The time from just before a request is sent to the response’s headers, for every request of this run that was answered.
  .cannot-show = What your users see. It is what our agent saw, with the network between us and the set-up of the connection in it. VERIFIED says that it was measured, not that it is fast.

check-transport_type = Transport
  .looked-at = Which transport the run used, and whether the endpoint answered over it.
  .cannot-show = Anything about faults inside the transport. It is not compared with what the server declares.

check-protocol_revision = Protocol revision
  .looked-at = The MCP revision that the server really speaks.
  .cannot-show = That the revision is implemented in full.

check-discovery_handshake = Handshake
  .looked-at = Whether `server/discover`, or the older `initialize`, behaves as the identified revision asks.
  .cannot-show = That what discovery says is accurate. We never send a credential, so we cannot look past a sign-in wall that was put there on purpose.

check-tools_list = Tool list
  .looked-at = Whether `tools/list` can be read and is structured as the protocol says, on every page.
  .cannot-show = That the tools work. We never call a listed tool.

check-error_taxonomy = Shape of errors
  .looked-at = The shape of the error that a harmless call brings: a call of a tool name that no page lists.
  .cannot-show = That other error paths are in order. Only this harmless one was taken.

check-tls_certificate = TLS certificate
  .looked-at = The dates of the certificate, the names in it, and its chain.
  .cannot-show = That the server is safe. “The certificate is in order” is a different thing.

check-redirect_policy = Redirects
  .looked-at = Whether any exchange was redirected to another host.
  .cannot-show = Whether any host can be trusted. It says only whether a redirect happened.

check-auth_metadata = Sign-in metadata
  .looked-at = The sign-in challenge and the metadata that anyone can see without a credential.
  .cannot-show = How strong the sign-in is. We hold no credential and do not see it at work.

check-tool_description_hygiene = Tool names and descriptions
  .looked-at = Hidden characters, and phrases aimed at an agent, in the name and description of every tool.
  .cannot-show = Intent. Such phrases also occur in honest tools.

check-toolset_fingerprint = Tool-name fingerprint
  .looked-at = Whether a fingerprint over all tool names can be computed, and its value.
  .cannot-show = Good or bad. It is a value that you can recompute.

check-schema_fingerprint = Schema fingerprint
  .looked-at = Whether a fingerprint over all input schemas can be computed, and its value.
  .cannot-show = Good or bad. It is a value that you can recompute.

check-toolset_unchanged_vs_approved = Tools against the approved release
  .looked-at = Whether the tools are those of the release that the owner approved.
  .cannot-show = That the approved release was right. Without a baseline nobody has told us what right looks like. Nor a change of a tool whose name stayed: its description, title, annotations and output schema are in the fingerprint of full definitions (`definition/v1`), which is compared with the baseline beside this check and judged by none.

check-schema_unchanged_vs_approved = Schemas against the approved release
  .looked-at = Whether the input schema of each tool is that of the release that the owner approved.
  .cannot-show = Whether a change was meant. Without a baseline it can only be UNVERIFIED. Nor a change of descriptions, titles, annotations or output schemas: the fingerprint of full definitions (`definition/v1`) covers them, is compared with the baseline beside this check, and is a fact that no check judges.
