# 「已观测，未签名」的五种原因，按自己动手最容易核对的顺序。

causes-lead = 如果你的 server 实现的是 2026-07-28，就用这条请求代替 `initialize`：
causes-fits-one = 从上面的应答看，原因 { $number } 最像。
causes-no-answer = 这五种原因说的都是有应答的 server。这次 run 没有得到应答。
causes-fits-none = 从上面的应答看，五种里没有哪一种特别像。
causes-discover-label = server/discover 请求
causes-command-label = 原因 { $number } 的自测

fit-fits = 与看到的相符：
fit-does-not = 与看到的不符：
fit-cannot-tell = 无从判断：
cause-points-here = 指向这里：
cause-or = 或
cause-fix = 修法：

cause-1 = 鉴权中间件把握手也拦了
  .about = 鉴权中间件把整个 endpoint 罩在同一道检查后面，连本该无凭据可达的握手方法也一起拦掉。
  .fix-label = 修法（针对打算公开可发现的 server）：
  .fix = 放行只读握手方法——`server/discover`、`initialize`、`notifications/initialized`、`tools/list`——不需鉴权。`tools/call` 一点不动。如果鉴权正是你要的，就回 401 并带上 `WWW-Authenticate` 质询：这样的 run 会签名到质询为止，不需要改动。
  .fits = 握手得到的应答是 { $status }。
  .does-not = 握手得到的应答是 { $status }，不是 401 或 403。
  .cannot-tell = 握手没有得到应答。

cause-2 = 只实现了 SSE，没有 Streamable HTTP
  .about = 这个 server 按旧的 SSE 传输构建，由客户端用 GET 打开事件流。我们从不对 endpoint 发送 GET。
  .fix = 在现有 SSE endpoint 之外（或替代它）加上 Streamable HTTP POST 传输。多数 MCP SDK 自 2025 年起就有了它，升级一下也许就够。
  .fits = 握手得到的应答是 { $status }。
  .fits-event = 应答里有旧传输的 `endpoint` 事件。
  .does-not = POST 得到的应答是 { $status }。
  .cannot-tell = 握手得到 { $status }，还看不到传输方式。
  .cannot-tell-silent = 握手没有得到应答。

cause-3 = 应答里缺 `protocolVersion`
  .about = 我们只读一个位置：HTTP 200 应答里 `result.protocolVersion` 处的一个字符串。
  .fix = 在 `initialize` 应答的 result 对象里加上 `protocolVersion`。
  .expect-jq = 如果 `jq` 报错，先看 Content-Type：SSE 分帧的要先解帧；不是的话，响应体就不是 JSON。
  .fits = 读到了 `initialize` 的应答，里面没有修订。
  .does-not = 应答里写着修订 { $revision }。
  .cannot-tell = 没有看到 `initialize` 的 result。

cause-4 = 会话头的顺序
  .about = 少见。在 `initialize`、`notifications/initialized`、`tools/list` 这个序列里，会话头要得太早，或者没有给。
  .look-label = 对照
  .look = 你的 server 在这个序列里期望和返回的会话头。这里没有一行就能改好的修法。
  .fits = `initialize` 得到了应答，同一会话里后面的请求得到 { $status }。
  .does-not = 会话里后面的每个请求都得到了应答。
  .cannot-tell = 没有建立会话。
  .cannot-tell-session = 建立了会话，但之后看到的还不足以判断。

cause-5 = 不是你 server 的问题
  .about = legacy server 可以用 429 以外的任何 4xx 回应 `server/discover`，我们随后改试 `initialize`。如果你的应答正是这个形态、原因 1 到 4 都已排除、本页却仍写着「未签名」，那就是我们的问题。
  .nothing-label = 如果是这一种：
  .nothing = 不需要你动手，这次 run 该由我们来看。
  .fits = 这次 run 里看不出有什么要由你来改。
  .does-not = { $status } 是我们会回退的状态，我们也确实回退了。
  .cannot-tell = 只有排除其他四种才能确定。
