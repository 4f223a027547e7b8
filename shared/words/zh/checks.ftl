# 标题用名词：「不跨主机重定向」这样的通过条件放在「未通过」旁边，意思就反了。

check-reachability = 预算内的应答
  .looked-at = endpoint 是否在一次 run 的预算内应答我们的握手。
  .cannot-show = 超时不等于你挂了，也可能是我们这边的网络。所以提前停下的 run 记「未检查」而不是「未通过」。

check-latency_profile = 请求耗时
  .looked-at = 本次 run 里每个得到应答的请求，从发出前到收到响应头的耗时。
  .cannot-show = 这是我们 agent 看到的值，含中间的网络与建立连接的时间，不代表你的用户看到的值。「已通过」只表示测到了，不表示快。

check-transport_type = 传输
  .looked-at = 本次 run 用的是哪种传输，端点是否经该传输作出回应。
  .cannot-show = 不能说明传输实现有没有 bug。也不与 server 声明的传输做比对。

check-protocol_revision = 协议修订
  .looked-at = server 实际遵循的 MCP 协议修订。
  .cannot-show = 不能说明该版本实现得完整。

check-discovery_handshake = 握手
  .looked-at = `server/discover` 或 legacy `initialize` 的行为是否符合识别到的修订。
  .cannot-show = 不能说明 discovery 返回的内容是准确的。我们从不发送凭据，看不到有意设置的认证墙之后的情况。

check-tools_list = 工具列表
  .looked-at = 每一页的 `tools/list` 是否读得到、结构是否合法。
  .cannot-show = 不能说明这些工具真的能用——我们从不调用所列的工具。

check-error_taxonomy = 错误的形状
  .looked-at = 一次无害调用得到的错误是什么形状：调用一个任何一页都没有列出的工具名。
  .cannot-show = 不能说明所有错误路径都规范，我们只走了这条无害的路径。

check-tls_certificate = TLS 证书
  .looked-at = 证书的有效期、SAN 是否匹配、证书链是否完整。
  .cannot-show = 「证书没问题」和「这个 server 安全」是两回事。

check-redirect_policy = 重定向
  .looked-at = 是否有任何一次交换被重定向到另一个主机。
  .cannot-show = 不能说明任何主机可信，只说明有没有发生跳转。

check-auth_metadata = 认证元数据
  .looked-at = 不带凭据时公开可见的认证质询与 metadata。
  .cannot-show = 不能说明认证强度。我们没有凭据，看不到认证真正的执行路径。

check-tool_description_hygiene = 工具名与描述
  .looked-at = 每个工具的 name 与 description 里有没有隐藏字符，或针对 agent 的语句。
  .cannot-show = 不能推断意图。这样的语句在正常工具里也会出现。

check-toolset_fingerprint = 工具名指纹
  .looked-at = 能否对全部工具名算出指纹，以及它的值。
  .cannot-show = 指纹本身不代表好坏，它是一个你可以复算的值。

check-schema_fingerprint = schema 指纹
  .looked-at = 能否对全部 inputSchema 算出指纹，以及它的值。
  .cannot-show = 指纹本身不代表好坏，它是一个你可以复算的值。

check-toolset_unchanged_vs_approved = 工具与已批准发布的对比
  .looked-at = 当前的工具是否就是站长批准过的那次发布里的工具。
  .cannot-show = 不能说明当时批准的就是对的。没有基线时，没人告诉过我们正确的样子是什么。名字未变的工具，它的描述、标题、annotations 和输出 schema 是否变过，也不在此列：它们由完整定义的指纹（`definition/v1`）覆盖，该指纹在本项之外与基线比对，不作判定。

check-schema_unchanged_vs_approved = schema 与已批准发布的对比
  .looked-at = 每个工具的 inputSchema 是否与站长批准过的那次发布一致。
  .cannot-show = 不能说明这一变化是否有意。没有基线时，它只能是「未检查」。也不能说明描述、标题、annotations 或输出 schema 是否变过：它们由完整定义的指纹（`definition/v1`）覆盖，该指纹在本项之外与基线比对，是一条事实，没有检查对它作判定。
