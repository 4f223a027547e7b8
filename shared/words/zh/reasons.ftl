# 检查套件的每个理由 key 一句话，参数名与套件一致。
# 签名页面上的发现，如果站长有事可做，就带 `.fix`。

## 什么会让一次 run 结束

reason-rate_limited = { $retry_after_s ->
    [0] server 要求我们稍后再来，没有说明多久。
   *[other] server 要求我们 { $retry_after_s } s 之后再来。我们照办。
  }
reason-response_too_large = 某个回应超过了我们读取的上限 { $limit_bytes } 字节。
reason-response_headers_too_large = 某个回应的头部超过了我们读取的上限 { $limit_bytes } 字节。这是我们自己的限制。
reason-response_too_deep = 某个应答的 JSON 嵌套超过了我们读取的 { $limit_levels } 层。这是我们自己的限制，不说明服务器有任何问题。
reason-dns_failed = { $fault ->
    [name_not_found] 域名没有对应的地址。
    [name_server_failed] 该域名的名字服务器应答失败。
   *[other] 域名无法解析（{ $fault }）。
  }
reason-connection_failed = { $fault ->
    [refused] 连接被拒绝。
    [timed_out] 连接或应答没有在时间预算内到来。
    [unreachable] 地址不可达。
    [lost] 应答还没收完，连接就断了。
    [not_http] 返回的内容不是 HTTP。
   *[other] 连接失败（{ $fault }）。
  }
reason-tls_failed = { $fault ->
    [expired] TLS 没有建立：证书已过期。
    [not_yet_valid] TLS 没有建立：证书尚未生效。
    [name_mismatch] TLS 没有建立：证书里没有这个主机名。
    [untrusted] TLS 没有建立：证书链没有通到我们信任的机构。
    [broken] TLS 没有建立：证书链断裂。
    [unsupported] TLS 没有建立：证书链用到了我们的校验器不认识的东西。是我们这边无法判断。
    [no_certificate] TLS 没有建立：没有收到证书。
    [broken_off] TLS 没有建立：收到了有效的证书，随后握手中断。
   *[other] TLS 没有建立（{ $fault }）。
  }
reason-response_undecodable = 某个回应用了我们没有要求、也不读取的内容编码。是我们这边无法判断。
reason-budget_exhausted = { $budget ->
    [requests] 本次 run 的 { $limit } 个请求已用尽。
    [time] 本次 run 的 { $limit } s 已用尽。
   *[other] 本次 run 的某项预算已用尽（{ $budget }，{ $limit }）。
  }
reason-too_many_redirects = 读取 metadata 时的跳转超过 { $limit } 跳。
reason-policy_refused = 我们自己的策略不允许连接那里（规则 `{ $rule }`）。
reason-resolver_unavailable = 我们的解析器没有应答。这是我们未能判定。
reason-agent_fault = 我们的 agent 出错。这是我们未能判定。
reason-not_recorded = 本次 run 的记录在看到这一项之前就结束了。这是我们未能判定。

## 我们与 server 之间

reason-credential_required = { $scheme ->
    [none] 应答是 { $status }，要求凭据。我们从不发送凭据，所以看不到。
   *[other] 应答是 { $status }，要求凭据（`{ $scheme }`）。我们从不发送凭据，所以看不到。
  }
reason-edge_challenge = 防火墙的验证页面挡在中间（HTTP { $status }，依据 `{ $marker }`）。我们没有见到 server。
reason-outside_limited_scope = 看到了，但有限范围的签名不为它作保。

## reachability、transport_type、latency_profile

reason-answered = 握手交换以 HTTP { $status } 结束。
reason-transport_answered = { $transport ->
    [streamable_http] Streamable HTTP
   *[other] { $transport }
  }，{ $framing ->
    [json] 以 JSON 成帧。
    [sse] 以 SSE 分帧。
    [empty] 应答没有响应体。
   *[other] 应答是其他格式。
  }
reason-latency_measured = p50 { $p50_ms } ms，p95 { $p95_ms } ms，n = { $n }。少于 20 个请求时，p95 就是其中最慢的一个。
reason-no_timed_request = 本次 run 没有一个计时的请求。

## protocol_revision、discovery_handshake

reason-revision_spoken = { $handshake ->
    [discover] 实际使用 { $revision }，由 `server/discover` 得知。
    [initialize] 实际使用 { $revision }，由 `initialize` 商定。
   *[other] 实际使用 { $revision }（{ $handshake }）。
  }
reason-revision_unknown = server 写的修订，协议里没有。
reason-handshake_discovered = `server/discover` 的行为符合 { $revision }。{ $listed ->
    [1] 列出 1 个修订：{ $first_listed }。
   *[other] 列出 { $listed } 个修订，第一项是 { $first_listed }；先后不表示任何含义。
  }
reason-handshake_initialized = `initialize` 的行为符合 { $revision }，{ $session ->
    [yes] 带会话。
    [no] 不带会话。
   *[other] 会话：{ $session }。
  }
reason-handshake_refused = 一个 2026-07-28 修订的 server 以协议错误 { $code } 拒绝了请求。
reason-handshake_http_error = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } 得到 HTTP { $status }。
reason-handshake_redirected = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } 被重定向（HTTP { $status }）{ $to ->
    [same_host] 到同一主机的另一处。
    [other_host] 到另一个主机。
   *[other] 到一个读不出的地址。
  }POST 收到重定向时我们只记录，不跟随。
reason-handshake_not_jsonrpc = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } 得到 HTTP { $status }，{ $content ->
    [json] 内容是 JSON，但不是 JSON-RPC 应答。
    [sse] 内容是事件流，里面没有应答。
    [html] 内容是一张 HTML 页面。
    [text] 内容是纯文本。
    [empty] 响应体为空。
    [undecodable] 响应体无法解码。
   *[other] 内容不是 JSON。
  }
reason-handshake_jsonrpc_error = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } 得到 HTTP { $status } 和 JSON-RPC 错误 { $code }。
reason-handshake_sse_transport = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } 得到 HTTP { $status } 和旧 SSE 传输的 `endpoint` 事件。
reason-protocol_version_missing = `initialize` 的应答在 `result.protocolVersion` 处没有字符串。
reason-handshake_result_invalid = { $step ->
    [discover] `server/discover`
    [initialize] `initialize`
   *[other] { $step }
  } 的 result 里缺合法的 { $field ->
    [capabilities] `capabilities`。
    [server_info] `serverInfo`。
    [result_type] `resultType`。
    [supported_versions] `supportedVersions`。
    [protocol_version] `protocolVersion`（所写的修订没有这种握手）。
   *[other] { $field }。
  }
reason-acknowledgement_refused = `notifications/initialized` 得到 HTTP { $status }，没有被接受。

## tools_list

reason-tools_listed = { $pages } 页共 { $tools } 个工具，结构合法，列表完整。
reason-tools_listed_in_part = 已读 { $pages } 页共 { $tools } 个工具，结构合法；其余没有读到：{ $cause ->
    [page_limit] 页数超过我们读取的上限。
    [tool_limit] 工具数超过我们读取的上限。
    [budget_time] 本次 run 的时间已用尽。
    [budget_requests] 本次 run 的请求已用尽。
    [too_large] 后面某一页太大。
    [headers_too_large] 后面某一页的头部超过我们读取的上限。
    [too_deep] 后面某一页的嵌套超过我们读取的层数。
    [undecodable] 后面某一页用了我们不读取的内容编码。
    [not_a_list] 后面某一页读不出工具列表。
    [cursor_repeated] 同一个 cursor 出现了两次。
    [cursor_invalid] cursor 不是文本。
    [cursor_too_long] cursor 太长，我们不再送回。
    [not_read] 后面某一页没有请求。
   *[other] { $cause }。
  }
reason-tools_list_incomplete = 列表没有读到最后：{ $cause ->
    [page_limit] 页数超过我们读取的上限。
    [tool_limit] 工具数超过我们读取的上限。
    [budget_time] 本次 run 的时间已用尽。
    [budget_requests] 本次 run 的请求已用尽。
    [too_large] 后面某一页太大。
    [headers_too_large] 后面某一页的头部超过我们读取的上限。
    [too_deep] 后面某一页的嵌套超过我们读取的层数。
    [undecodable] 后面某一页用了我们不读取的内容编码。
    [not_a_list] 后面某一页读不出工具列表。
    [cursor_repeated] 同一个 cursor 出现了两次。
    [cursor_invalid] cursor 不是文本。
    [cursor_too_long] cursor 太长，我们不再送回。
    [not_read] 后面某一页没有请求。
   *[other] { $cause }。
  }已读到 { $pages } 页共 { $tools } 个工具。
reason-tools_list_http_error = `tools/list` 得到 HTTP { $status }。
reason-tools_list_redirected = `tools/list` 被重定向（HTTP { $status }）{ $to ->
    [same_host] 到同一主机的另一处。
    [other_host] 到另一个主机。
   *[other] 到一个读不出的地址。
  }POST 收到重定向时我们只记录，不跟随。
reason-tools_list_not_jsonrpc = `tools/list` 得到 HTTP { $status }，{ $content ->
    [json] 内容是 JSON，但不是 JSON-RPC 应答。
    [sse] 内容是事件流，里面没有应答。
    [html] 内容是一张 HTML 页面。
    [text] 内容是纯文本。
    [empty] 响应体为空。
    [undecodable] 响应体无法解码。
   *[other] 内容不是 JSON。
  }
reason-tools_list_jsonrpc_error = `tools/list` 得到 HTTP { $status } 和 JSON-RPC 错误 { $code }。
reason-tools_list_not_array = `tools/list` 的 result 里没有数组 `tools`。
reason-tools_list_entry_invalid = { $fault ->
    [not_object] 工具列表的第 { $index } 项不是对象。
    [no_name] 工具列表的第 { $index } 项没有字符串形式的 name。
   *[other] 工具列表的第 { $index } 项不合法（{ $fault }）。
  }从 0 数起。
reason-tools_list_result_type = `tools/list` 的 result 写了一个它没有的 `resultType`。

## error_taxonomy

reason-error_shape_fits = 调用一个任何一页都没有列出的工具名，得到 JSON-RPC 错误 { $code }（HTTP { $status }）。
reason-error_as_result = 调用一个任何一页都没有列出的工具名，得到标了 `isError` 的 result（HTTP { $status }），协议在这里用的是 error 对象。多数 SDK 都这么做。
  .fix = 对未知工具的调用，以 JSON-RPC 错误应答，code 为 -32602。你用的 SDK 的新版本也许已经这么做。
reason-error_as_success = 调用一个任何一页都没有列出的工具名，得到一个普通的 result（HTTP { $status }），好像工具真的跑过。
  .fix = 对未知工具的调用，以 JSON-RPC 错误应答，code 为 -32602，免得 agent 把它当成成功。
reason-error_not_jsonrpc = 调用一个任何一页都没有列出的工具名，得到 HTTP { $status }，{ $content ->
    [json] 内容是 JSON，但不是 JSON-RPC 应答。
    [sse] 内容是事件流，里面没有应答。
    [html] 内容是一张 HTML 页面。
    [text] 内容是纯文本。
    [empty] 响应体为空。
    [undecodable] 响应体无法解码。
   *[other] 内容不是 JSON。
  }
  .fix = 以 JSON-RPC 的 error 对象应答，agent 才知道要不要重试。
reason-error_object_malformed = 调用一个任何一页都没有列出的工具名，得到 HTTP { $status }，其中 error 对象的 { $field ->
    [code] `code` 不是整数。
    [message] `message` 不是字符串。
   *[other] { $field } 不合法。
  }
  .fix = error 对象的 `code` 用整数，`message` 用字符串。
reason-probe_tool_name_unverifiable = 列表没有读到最后，要调用的名字可能属于一个没读到的工具，所以没有发出这次调用。
reason-probe_tool_name_collision = 已读到的某一页列出了我们要调用的那个名字，所以没有发出这次调用。

## tls_certificate

reason-certificate_valid = 有效期还有 { $days_left } 天，名称匹配，链完整。
reason-certificate_expired = { $days ->
    [0] 服务器证书之上的某张证书已过期。
   *[other] 已过期 { $days } 天。
  }
reason-certificate_not_yet_valid = { $days ->
    [0] 服务器证书之上的某张证书尚未生效。
   *[other] 还要 { $days } 天才生效。
  }
reason-certificate_name_mismatch = 证书里没有这个主机名。
reason-certificate_untrusted = 证书链没有通到我们信任的机构，可能缺了中间证书。
reason-certificate_broken = 证书链里有一处签名或编码不成立。
reason-plain_http = 这个 endpoint 用的是明文 HTTP，没有证书。

## redirect_policy

reason-no_cross_host_redirect = { $redirects ->
    [0] 没有看到重定向。
   *[other] { $redirects } 次重定向，都在同一主机内。
  }
reason-cross_host_redirect = { $redirects } 次重定向到另一个主机，{ $on ->
    [endpoint] 出现在 endpoint 上。
    [metadata] 出现在认证元数据上。
    [both] 出现在 endpoint 与认证元数据上。
   *[other] 出现在 { $on }。
  }
  .fix = 在所公布的位置提供 endpoint 与它的 metadata，或者改为公布搬去的位置。
reason-nothing_exchanged = 没有发生任何交换，所以看不到有没有重定向。

## auth_metadata

reason-challenge_well_formed = { $scheme ->
    [none] 质询结构合法。
   *[other] `{ $scheme }` 质询结构合法。
  }它没有指向 metadata，也没有找到 metadata。
reason-metadata_well_formed = { $scheme ->
    [none] 没有看到质询；{ $documents } 份 metadata 结构合法。
   *[other] `{ $scheme }` 质询结构合法，{ $documents } 份 metadata 结构合法。
  }
reason-challenge_malformed = HTTP { $status } 带的 `WWW-Authenticate` 不符合 RFC 9110 的语法。
  .fix = `WWW-Authenticate` 写成一个方案加参数，每个参数一次，值加引号。
reason-challenge_parameter_repeated = 质询里有一个参数出现了不止一次。
  .fix = 每个参数只写一次。
reason-challenge_quoting = 质询读得出来，但引号或空格的写法语法不允许。
  .fix = 每个参数的值用双引号括起，参数之间用逗号分开。
reason-challenge_metadata_url_invalid = 质询写了 `resource_metadata`，但它不是完整的 http 或 https 地址。
  .fix = 写出 metadata 的完整地址，带上协议与主机。
reason-challenge_metadata_url_credentials = 质询里 `resource_metadata` 的地址带有用户名或密码，我们不会访问。
  .fix = 地址里不要写用户名和密码；metadata 本来就是任何人都能读的。
reason-challenge_scope_unsupported = 质询要求的 scope，metadata 里没有列为支持。
  .fix = 把这个 scope 列进 `scopes_supported`，或者改为要求一个已列出的。
reason-metadata_http_error = { $document ->
    [resource] 质询所指的资源 metadata
    [server] 所指的授权服务器 metadata
   *[other] 所指的 { $document } metadata
  } 得到 HTTP { $status }。
  .fix = 在质询所写的地址提供这份文档。
reason-metadata_malformed = { $document ->
    [resource] 资源 metadata
    [server] 授权服务器 metadata
   *[other] { $document } metadata
  }{ $fault ->
    [not_json] 不是 JSON。
    [not_object] 不是 JSON 对象。
    [resource_missing] 缺 `resource`。
    [resource_invalid] 的 `resource` 不是地址。
    [authorization_servers_missing] 缺 `authorization_servers`。
    [authorization_server_invalid] 里有一个授权服务器的地址不合法。
    [issuer_missing] 缺 `issuer`。
    [endpoint_missing] 缺一个必需的 endpoint。
    [endpoint_insecure] 里有一个 endpoint 不是 https。
   *[other] 有不合法之处（{ $fault }）。
  }
  .fix = 按 RFC 9728（资源）或 RFC 8414（授权服务器）补全这份文档。
reason-metadata_resource_mismatch = metadata 里的 `resource` 不是这个 endpoint：{ $difference ->
    [origin] 源不同。
    [parent_path] 是它上层的路径。
    [trailing_slash] 末尾的斜杠不同。
    [path] 路径不同。
   *[other] { $difference }。
  }
  .fix = 把 `resource` 设为 endpoint 的确切地址。
reason-metadata_issuer_mismatch = metadata 里的 `issuer` 不是取它时所用的地址。
  .fix = 把 `issuer` 设为资源 metadata 里写的那个授权服务器地址。
reason-server_metadata_not_found = 资源 metadata 写了一个授权服务器，但已知的位置都没有它的 metadata。
  .fix = 在 well-known 地址提供授权服务器的 metadata（RFC 8414）。
reason-not_observable = 没有看到质询，也没有看到 metadata，因此无从判定。

## tool_description_hygiene

reason-hygiene_no_hit = { $tools } 个工具的名字与描述中没有命中。
reason-hygiene_hits = { $tools } 个工具里命中 { $hits } 处。这是一个信号，不是判决。
  .fix = 描述里只写工具做什么，写给会自己做决定的读者；去掉隐藏字符。

## toolset_fingerprint、schema_fingerprint

reason-fingerprint_computed = 覆盖全部页的 { $tools } 个工具。
reason-fingerprint_not_canonical = 列表里第 { $tool } 个工具（从 0 数起）写不成规范形式：{ $cause ->
    [lone_surrogate] 字符串里有未配对的代理码元。
    [duplicate_key_after_nfc] 规范化后同一对象里有两个键相同。
    [non_finite_number] 有一个数超出双精度范围。
   *[other] { $cause }。
  }
  .fix = 文本和数字请写成每个 JSON 解析器读出来都一样的样子。
reason-input_schema_missing = { $tools } 个工具没有 `inputSchema`。
  .fix = 给每个工具一个 `inputSchema`；没有参数的工具，用一个空的 object schema。

## toolset_unchanged_vs_approved、schema_unchanged_vs_approved

reason-no_approved_baseline = 没有已批准的发布，所以没有可比对的内容。
reason-baseline_unusable = 已批准的那次 run 里没有完整的工具列表可比。
reason-toolset_unchanged = 与已批准发布相同的 { $tools } 个工具名。
reason-toolset_changed = 相对已批准的发布，新增 { $added } 个工具，删除 { $removed } 个。
  .fix = 如果是有意的：把这次 run 批准为新基线。如果不是：恢复已批准的工具。
reason-schemas_unchanged = 与已批准发布相同的 { $tools } 个 inputSchema。
reason-schemas_changed = { $compared } 个 schema 中有 { $changed } 个与已批准的不同。
  .fix = 如果是有意的：把这次 run 批准为新基线。如果不是：恢复旧 schema。
reason-comparison_unavailable = { $side ->
    [run] 本次 run 的工具写不成规范形式，所以没有比对。
    [baseline] 已批准的工具写不成规范形式，所以没有比对。
   *[other] 没有比对（{ $side }）。
  }

## 一次 run 为什么没有签名

reason-server_error = 决定握手结果的应答是 server 错误（5xx）。
reason-challenge_unusable = 应答是 401，但没有可用的认证质询。
reason-disqualified = 这次 run 的记录没有通过我们自己的检查，被取消了发布资格。原因在我们。
reason-signer_unreachable = 签名服务连不上。它一恢复，这次 run 就会签名。

# 同样的意思，不带参数：没有签名的 run 只写明 key。
signing-rate_limited = server 要求我们稍后再来，这次 run 就此结束。
signing-response_too_large = 某个回应超出我们读取的上限，这次 run 就此结束。
signing-response_headers_too_large = 某个回应的头部超出我们读取的上限，这次 run 就此结束。这是我们自己的限制。
signing-response_too_deep = 某个应答的嵌套超出我们读取的层数，所以没有可签名的内容。这是我们自己的限制。
signing-dns_failed = 域名无法解析，所以没有可签名的内容。
signing-connection_failed = 连接失败或中断，所以没有可签名的内容。
signing-tls_failed = TLS 没有建立，所以没有可签名的内容。
signing-response_undecodable = 某个应答用了我们不读取的内容编码，所以没有可签名的内容。
signing-budget_exhausted = 这次 run 还没完成，预算就已用尽。
signing-too_many_redirects = 读取 metadata 时跳转太多，这次 run 就此结束。
signing-policy_refused = 我们自己的策略不允许连接那里。原因在我们。
signing-resolver_unavailable = 我们的解析器没有应答。原因在我们。
signing-agent_fault = 我们的 agent 出错。原因在我们。
signing-not_recorded = 这次 run 的记录不完整。原因在我们。
signing-edge_challenge = 防火墙的验证页面挡在中间。我们没有见到 server。
signing-revision_unknown = server 写的修订，协议里没有。
signing-handshake_refused = 一个 2026-07-28 修订的 server 拒绝了握手。
signing-handshake_http_error = 握手没有完成，所以没有可签名的内容。
signing-handshake_redirected = 握手被重定向。POST 收到重定向时我们不跟随。
signing-handshake_not_jsonrpc = 握手得到的内容不是 JSON-RPC。
signing-handshake_jsonrpc_error = 握手得到一个 JSON-RPC 错误。
signing-handshake_sse_transport = server 以旧的 SSE 传输应答。
signing-protocol_version_missing = `initialize` 的应答没有写协议版本。
signing-handshake_result_invalid = 握手的 result 不合法。
signing-acknowledgement_refused = `notifications/initialized` 没有被接受，握手没有完成。
signing-tools_list_incomplete = 工具列表没有读到最后。
signing-tools_list_http_error = `tools/list` 得到一个 HTTP 错误。
signing-tools_list_redirected = `tools/list` 被重定向。POST 收到重定向时我们不跟随。
signing-tools_list_not_jsonrpc = `tools/list` 得到的内容不是 JSON-RPC。
signing-tools_list_jsonrpc_error = `tools/list` 得到一个 JSON-RPC 错误。
signing-tools_list_not_array = `tools/list` 的 result 里没有数组 `tools`。
signing-tools_list_entry_invalid = 工具列表里有一项不合法。
signing-tools_list_result_type = `tools/list` 的 result 写了一个它没有的 `resultType`。
signing-server_error = 握手得到 server 错误（5xx），所以没有可签名的内容。
signing-challenge_unusable = 应答是 401，但没有可用的认证质询，所以没有可签名的内容。
signing-disqualified = 这次 run 的记录没有通过我们自己的检查，被取消了发布资格。原因在我们。
signing-signer_unreachable = 签名服务连不上。它一恢复，这次 run 就会签名。
signing-refused = 签名服务没有接受这次 run 的记录。原因在我们。
