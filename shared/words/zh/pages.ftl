# 页面自身的文字：先是处处相同的，再逐页。

site-description = 对公开 MCP server 的外部观测，附签名。
skip = 跳到正文
nav-main = 主导航
nav-crumbs = 路径
nav-servers = 服务器
nav-keys = 公钥
theme-dark = 深色
theme-light = 浅色
copy = 复制
copied = 已复制
command-name = 命令
command-label = 命令 { $number }
stop = 。
clause = ；
reason = 原因：
cannot-show = 这不说明什么
region = 区域
not-recorded = 未记录
not-computed = 未计算
stale = 观测已 { $hours } 小时未更新
notices = 提示
cadence-hours = { $number } 小时
cadence-minutes = { $number } 分钟

foot-claims = 本站不主张什么
foot-claims-text = 我们只记录从外部能观测到的内容：何时、从哪里、看到了什么。一份干净的报告不是保证，也不说明两次 run 之间发生了什么。
foot-check = 自行核实
foot-keys = 公钥与有效期
foot-keys-json = 公钥文档（供程序读取）

## 出错

problem-not-found = 这个地址没有页面
problem-not-found-text = 地址可能写错了，或者属于本站的另一个版本。
problem-no-target = 没有这个 target 或 run
problem-no-target-text = 没有以这个名字观测的 target，或者它没有这个 id 的 run。
problem-no-evidence = 这个 id 没有证据
problem-no-evidence-text = 没有这个 id 的 run，或者这次 run 没有签名。没有签名就没有可核实的证据；它的报告页展示看到的东西。
problem-no-key = 这个 id 没有公钥
problem-no-key-text = 公钥文档里没有这个公钥，或者有不止一个公钥的 id 以此开头。
problem-bad-request = 这个地址读不懂
problem-bad-request-text = 地址里有一个值，这个页面不接受。
problem-method-not-allowed = 页面只供读取
problem-method-not-allowed-text = 本站的地址只回应 GET 与 HEAD。
problem-unavailable = 存储连不上
problem-unavailable-text = 原因在我们。你已下载的证据和保存的公钥不受影响。请在 30 秒后再试。
problem-broken = 这个页面没能生成
problem-broken-text = 原因在我们。数据完好，只是页面没有生成。
problem-home = 回到服务器列表

## 目录

directory-title = 公开 MCP server 的外部观测
directory-heading = 公开的 MCP server 做了什么：从外部观测，并签名
directory-lede = Touchstone 从外部观测 MCP server，写下看到的东西，并签名。它说的一切都可以核实，不需要信任它。
directory-search-label = endpoint，或其中一段
directory-search = 搜索
directory-as-of = 截至 { $moment }：{ $count } 个 server。
directory-all = { $count } 个 server
directory-results = { $count } 个 server 匹配
directory-order = 按名字排列。付费层级永不影响排序。
directory-nothing = 还没有列出任何 server
directory-nothing-like = 没有匹配的 server
directory-show-all = 显示全部
directory-next = 下一页
directory-observed = 观测于
directory-days = 30 天：计入的 { $counted } 天中有 { $answered } 天有应答
directory-no-day = 30 天：还没有可计入的日子
directory-narrow = 缩小范围
directory-narrow-note = 所有筛选条件都在本页的地址里。
directory-signature = 签名
directory-any = 不限
directory-full = 完整范围
directory-limited = 止于认证墙
directory-none = 未签名
directory-apply = 应用
directory-add = 没有列出？
directory-add-text = 本站观测哪些 server，由运营者指定。任何 server 你都可以现在就在自己的机器上检查：

## 报告页头

report-title-full = { $name }：已签名的观测
report-title-limited = { $name }：已签名，止于认证墙
report-title-none = { $name }：已观测，未签名
report-title-pending = { $name }：已观测，尚未签名
report-title-unobserved = { $name }：尚未检查
head-endpoint = endpoint
head-endpoint-run = 本次探测的 endpoint
head-from-payload = 取自签名载荷
head-from-record = 取自我们自己未签名的记录
head-observed = 观测时间
head-region = 来自{ $region }
head-cadence = 周期
head-every = 每 { $cadence }
head-tier-unclaimed = 未认领；下次 { $next }
head-tier-free = 已认领，Free 档；下次 { $next }
head-tier-indie = 已认领，Indie 档；下次 { $next }
seal-full = 本页的每一条结论都在同一份已签名的载荷里。核实它，不需要信任我们。
seal-limited = server 要求凭据。我们从不发送凭据，所以签名只为认证墙之外作保，墙后的一概不保。
seal-unknown-schema = 载荷已签名。本站没有这个版本的 schema，所以不展示它说了什么。
seal-unobserved = 还没有一次 run 看过这台 server。
seal-pending = 观测已存下，等待签名服务。签名之前，本页只展示看到的东西，不下结论。
seal-pending-tried = 观测已存下。签名服务连不上，正在重试。在那之前，本页只展示看到的东西，不下结论。
seal-none = { $why }原因：`{ $key }`。
seal-none-page = 本页只展示看到的东西，不下结论、不打分，第三方也无从核实。
seal-check = 核实这份证据

notice-earlier = 这是较早的一次 run。
notice-earlier-text = 它展示的是观测当时的情况。
notice-earlier-link = 看最近一次 run
notice-stale = 观测已 { $hours } 小时未更新。
notice-stale-text = 这个 target 的周期是 { $cadence }；再过 4 小时 40 分钟仍没有新的 run，就算未更新。下面展示的是 { $moment } 的情况。
notice-schema = 本站不认识这个载荷版本。
notice-schema-text = 签名可以核实。载荷说了什么无法展示：本站没有对应的 schema，也不去猜。
notice-pending = 已观测，尚未签名。
notice-pending-text = { $moment } 存下，签名服务很快就会处理。不需要你动手。
notice-pending-tried-text = { $moment } 存下。已问过签名服务 { $attempts } 次，没有应答。观测会保留，签名服务一恢复就签名。不需要你动手。
notice-ours = 未签名，原因在我们。
notice-ours-text = 原因在我们这边，不在这台 server。不需要你动手。

## 这次看到了什么

found = 这次看到了什么
found-note = 四种状态分开计数。「未检查」绝不会被当作通过。
found-executions = 执行状态，另行计数：
kv-check = 检查
kv-reason = 原因
kv-fix = 修法
kv-cannot-show = 这不说明什么
hit-hygiene = 规则 { $rule }，{ $field } 第 { $offset } 字节
hit-added = 已批准发布之后新增
hit-removed = 已批准发布之后删除
hit-schema = 与已批准的 schema 不同
hit-redirect = HTTP { $status }，到另一个主机
hits-more = 另有 { $count } 处在本次 run 的记录里。
checks = 全部检查
checks-note = 先后固定，两次 run 可以并排对照。
checks-see = 看这条发现
checks-other = 其他检查
checks-other-note = 套件比本页新，这些检查本页还不认识。

## 日子、区域、run

days = 它有应答吗
days-note = 过去 90 个 UTC 日，所有区域。
days-note-limited = 过去 90 个 UTC 日，所有区域。应答 401 也是应答。
days-note-plain = 过去 90 个 UTC 日，所有区域。不用颜色：这里没有任何签名。
days-counted = 已观测日可达率：过去 90 天里，计入的 { $counted } 天中有 { $answered } 天有应答
days-counted-plain = 过去 90 天里，计入的日子中有应答的天数
days-of = / { $counted }
days-none-counted = 已观测日可达率：过去 90 天还没有可计入的日子
days-table = 同样的 90 天，以表格列出
days-table-name = 90 天逐日表
days-day = UTC 日
days-recorded = 记为
days-runs = 有应答 / 全部 run
days-signed = 已签名 run
days-missed = 我们错过的时隙
times-measured = 本次 run 的 p50，p95 为 { $p95 } ms，n = { $n }，来自{ $region }
unchanged-days = { $days ->
   *[other] 天
  }
unchanged-changed = 工具列表自 { $since } 起至少这么久未变；这是下界
unchanged-first = 自 { $since } 的第一份起，没有看到工具列表变化；这是下界
times-limited = 请求耗时：这次 run 止于认证质询
day-not_yet = 今天尚未到时
strip-title = { $from }至 { $to }
strip-answered = { $days } 天有应答
strip-before = { $days } 天在首次检查之前
strip-unanswered = 无应答：{ $days }
strip-not_counted = 不计入：{ $days }
strip-undetermined = 我们未能判定：{ $days }
missed = 我们错过的时隙
missed-note = 没有 run 就过去了的时隙。原因在我们，或者是 server 要求我们等待；绝不算作 server 的问题。
missed-cut = 只列出最近的。
missed-slots = 时隙
missed-count = 个数
missed-cause = 原因
missed-no_agent = 该区域没有连上的 agent
missed-coordinator_down = 我们的 coordinator 没有运行
missed-capacity = 我们的 agent 没有余力
missed-lease_expired = agent 接下后没有按时上报
missed-asked_to_wait = server 要求我们等更久
missed-host_busy = 同一主机上的另一次 run 占用了这个时隙
regions = 各区域一致吗
regions-note = 同一个 endpoint，各区域最近一次 run。
regions-table = 各区域最近一次 run
regions-turns = 各区域轮流观测，所以各行的时间不同。
regions-reach = 可达性
regions-at = 时间
regions-all-answered = { $regions } 个区域都得到应答。
regions-all-unanswered = { $regions } 个区域都没有得到应答。
regions-differ = { $regions } 个区域中有 { $answered } 个得到应答；没有的是：{ $others }。
regions-one-answered = 只有一个区域看过：{ $region }得到了应答。
regions-one-unanswered = 只有一个区域看过：{ $region }没有得到应答。
regions-none = 没有哪个区域能看。这是我们未能判定。
runs = 各次 run
runs-note = 共 { $all } 次，列出最近 { $shown } 次，各有一页。
runs-summary = 各次 run，最近的在前
runs-at = 时间
runs-signature = 签名

## 工具、证据摘要、机器版本

tools = 工具与契约
tools-count = 工具
tools-server = 自称
tools-server-note = server 自己的说法，未签名
tools-names = { $count } 个工具名，按 UTF-16 码元排序
tools-more = 另有 { $count } 个
tools-notes = 关于单个工具的记录，不改变任何状态
tools-unsigned = 个数与指纹已签名。名字与记录来自同一次 run 的未签名记录。
tool-note-input_schema_missing = 没有 `inputSchema`
tool-note-input_schema_invalid = 的 `inputSchema` 不是 object schema
tool-note-duplicate_name = 与另一个工具重名
tool-note-name_shape = 的名字不合推荐的写法
tool-note-odd_name = 的名字里有名字中少见的字符
tool-note-long_description = 的描述超过 2,048 个字符
baseline = 基线
baseline-none = 没有已批准的基线；变化只记录，不判定
baseline-none-then = 这次 run 签名时还没有已批准的基线
baseline-in-force = 现行基线
baseline-approved = 批准于
baseline-run = run 开始于
drift = 与基线的差异
drift-added = 新增
drift-removed = 移除
drift-schema = schema 不同
drift-approved = 批准时
drift-observed = 观测到
drift-absent = 没有
drift-cut = 差异多于所写下的
drift-more = 另有 { $count } 处差异
suite-commit = commit { $commit }
suite-no-commit = 构建时没有 git 历史
suite-dirty = 另有该 commit 之外的改动
evidence = 证据
evidence-key = 公钥
evidence-link = 证据页
evidence-more = 全部命令，包括只用 OpenSSL 的一条，见
use = 供程序读取

## 认证墙

vouch = 签名为什么作保
vouch-note = 四项检查，以及质询本身。
challenge = 质询
challenge-scheme = 方案
challenge-names = 参数名
challenge-no-names = 无
challenge-names-note = 只留名称；这里不记录值
challenge-url = 一个 URL
challenge-no-url = 没有写明
challenge-digest = 一个摘要
challenge-no-digest = 没有记录
behind = 墙后
behind-note = 本页对这些不下结论。
behind-before = 在签名载荷里，有 { $count } 项检查是
behind-reasons = ，原因为
behind-after = 就是字面意思：我们看不到，或不为它作保。这不表示有问题，也不是通过。
intended = 认证是有意的吗？
intended-yes = 如果是：
intended-yes-text = 不需要改动。工具只给登录用户的 server，本来就该是这个样子。
intended-no = 如果这个 server 本打算公开可发现：
intended-no-text = 放行 `server/discover`、`initialize`、`notifications/initialized`、`tools/list`，不需凭据；`tools/call` 一点不动。调用者实际能执行什么，不因此改变。自测：
intended-open = 对所有人开放：
intended-walled = 在认证墙后：

## 未签名

saw = 看到了什么
saw-note = 本次 run 的每一次交换，原样列出。
saw-table = 本次 run 的交换
saw-sent = 我们发出
saw-came = 得到
saw-body = 响应体
saw-headers = 响应头用时
saw-page = 第 { $number } 页
saw-hop = 第 { $number } 次跳转
saw-nothing = 什么也没有
saw-no-exchange = 没有发出请求。
saw-get = 我们从不对 endpoint 发送 GET，所以没有看 GET 会返回什么。
saw-tls-none = 没有看到证书。
saw-tls-valid = 证书在有效期内，名称匹配，链完整。
saw-tls-expired = 证书已过期。
saw-tls-not-yet-valid = 证书尚未生效。
saw-tls-name-mismatch = 证书里没有这个主机名。
saw-tls-untrusted = 证书链没有通到我们信任的机构。
saw-tls-broken = 证书链不成立。
saw-tls-no-certificate = 尝试了 TLS，没有收到证书。
saw-redirects = { $count ->
    [0] 没有看到重定向。
   *[other] 看到 { $count } 次重定向。
  }
saw-cut = 有一个响应没有读到最后。
saw-stop-rate-limited = { $seconds ->
    [0] 随后停下：server 要求我们稍后再来。
   *[other] 随后停下：server 要求我们 { $seconds } s 之后再来。
  }
saw-stop-exchange = 随后停下：最后一次交换失败。
saw-stop-requests = 随后停下：本次 run 的请求已用尽。
saw-stop-time = 随后停下：本次 run 的时间已用尽。
failure-unspecified = 失败，记录没有说明原因
failure-name_not_found = 域名没有对应的地址
failure-name_server_failed = 名字服务器应答失败
failure-resolver_unavailable = 我们的解析器没有应答
failure-policy_refused = 我们自己的策略不允许连接那里
failure-connect_refused = 连接被拒绝
failure-connect_timed_out = 没有按时连上
failure-connect_unreachable = 地址不可达
failure-connection_lost = 连接断了
failure-tls = TLS 没有建立
failure-timed_out = 没有按时收到完整应答
failure-too_large = 超过我们读取的上限
failure-not_http = 不是 HTTP
failure-undecodable = 解不开
failure-budget_requests = 没有发出：本次 run 的请求已用尽
failure-budget_time = 没有发出：本次 run 的时间已用尽
failure-too_many_redirects = 跳转次数超过我们跟随的上限
failure-agent = 我们的 agent 出错
why = 为什么没有签名
why-note = 五种原因，按自己动手最容易核对的顺序。命令就是为这个 endpoint 填好的。
next = 接下来
next-due = 下一次 run 的时间是 { $moment }。
next-text = 只要有一次 run 完成握手并读完整份工具列表，它就会签名，无论有没有人认领这台 server。
next-ours = 如果一次 run 因为我们这边的原因没有签名，本页会直接写明，代替五种原因。
first = 尚未检查
first-heading = 首次 run 不晚于
first-before = 我们将在 { $seconds } 秒内发出至多 { $requests } 个请求，目标是
first-after = ；不带任何凭据，也不调用它的任何工具。

## 证据

evidence-title = 证据：{ $name }
evidence-heading = 一次 run 的证据
evidence-about = 关于
evidence-run = run
evidence-run-note = 来自{ $region }，时隙 { $slot }
evidence-signed = 签名时间
evidence-seal = 一份载荷，一个签名
evidence-seal-text = 下面没有一处要求你信任本页。命令 3 只用 OpenSSL，不需要我们的任何软件。
evidence-to-commands = 去看命令
evidence-what = 签了什么
evidence-what-note = DSSE 信封里的一份 in-toto statement。
evidence-payload = 载荷
evidence-payload-size = { $bytes } 字节，nfc-jcs/v1
evidence-payload-note = 签名的是不带这些空白的 { $bytes } 字节：
evidence-payload-exact = 原始字节
evidence-payload-spaced = 载荷，加空白以便阅读
evidence-envelope = 信封
evidence-the-envelope = 信封
evidence-envelope-exact = 原始字节
evidence-observation = 观测
evidence-observation-note = agent 的原始字节，尚未作任何判定
evidence-agent = agent
evidence-agent-note = 为这次观测签名的密钥
evidence-scope = 范围
evidence-suite = 套件
evidence-the-key = 公钥
evidence-key-state = 现在的状态
evidence-key-unknown = 不在本站所持的公钥文档里
evidence-key-note = 不要只从本页取公钥。请与你早先取得的、或从别处取得的公钥文档对照。
evidence-unknown-version = 本站不认识载荷版本 { $version }。
evidence-unknown-version-text = 签名可以核实。载荷说了什么无从判断：本站没有对应的 schema，也不去猜。
verify = 自行核实
verify-note = 每条命令都为这次 run 填好，照抄就能用。
verify-expected = 应得到：
verify-download = 下载证据包、公钥文档与公钥
verify-all = 离线核实全部
verify-all-about = 签名、公钥的状态、规范形式、schema，以及观测是否就是所写的那一份。
verify-openssl = 只用 OpenSSL 核实签名
verify-openssl-about = 对 DSSE 预认证字节的 Ed25519 签名。`sed` 只用来从证据包里取出这两部分。
verify-python = 用 securesystemslib 核实签名
verify-python-about = in-toto 与 TUF 所用的库，来自 PyPI。它打印公钥的 id。
verify-suite = 复算套件摘要
verify-suite-about = 在公开仓库的克隆里运行。它标识是哪份代码得出的结论。
verify-fingerprints = 复算两个指纹
verify-fingerprints-about = 在公开仓库的克隆里运行：两个六十来行、不依赖任何包的脚本，读的是当时读到的 `tools/list` 各页。每个脚本都打印两个指纹。
verify-replay = 重放判定
verify-replay-about = 对 agent 的原始字节重新判定一遍，逐字节比对载荷。
verdicts = 各种回答是什么意思
verdicts-note = 「不成立」和「无从判断」是两回事，退出码也不同。
verdict-answer = 回答
verdict-when = 何时
verdict-exit = 退出码
verdict-valid = valid（成立）
verdict-valid-when = 以上全部成立。此后退役的公钥，在其有效期内签的仍然有效。
verdict-invalid = invalid（不成立）
verdict-invalid-when = 签名、摘要、规范形式或重放对不上，或者公钥已吊销。
verdict-undecidable-key = undecidable（无从判断）：未知公钥
verdict-undecidable-key-when = 你的公钥文档里没有这个公钥。请取一份更新的。
verdict-undecidable-schema = undecidable（无从判断）：未知 schema
verdict-undecidable-schema-when = 你的程序没有这个载荷版本的 schema。它不去猜。

## 公钥

keys = 公钥
keys-title = 公钥
keys-lede = 本服务用来签名的每一个密钥、它的用途，以及何时有效。
keys-version = 公钥文档，第 { $version } 版。
keys-attestation = 证据签名公钥
keys-attestation-note = 它们为证据签名。最近的在前。
keys-axis = { $from } 至 { $to }；刻度是季度，竖线是今天（{ $now }）
key-id = 公钥 id
keys-windows-head = 有效期
keys-windows = 公钥 { $key } 的有效期
keys-state = 状态
keys-legend-pending = 待启用：已公布，尚未用于签名
keys-legend-active = 当前有效：用于签名
keys-legend-retired = 已退役：它签过的仍然有效
keys-legend-revoked = 已吊销：不再可信
keys-retired = 退役不是吊销。
keys-retired-text = 退役的公钥在其有效期内是好的，当时签的仍然有效。吊销的公钥不可信。
keys-active = 当前有效的公钥
keys-no-active = 目前没有有效的证据签名公钥，没有在签名。
keys-algorithm = 算法
keys-purpose = 用途
keys-active-since = 使用中
keys-id-note = 公钥 id：对 SubjectPublicKeyInfo 取 SHA-256。它只用来找公钥，从不用来作判断。
keys-pinned = 保存一份
keys-pinned-text = 掌握本站的人可以给你看别的公钥。请保存你最初取得的文档，并作对照。
keys-well-known = well-known 路径
keys-others = 其他公钥
keys-others-note = 一个用途一个密钥。
keys-others-more = 另有 { $count } 个在公钥文档里。
key-signs-from = { $from } 起签名
key-since = { $from } 起
key-from-to = { $from } 至 { $to }
key-revoked-from-to = { $from } 至 { $to }，此后不可信
key-revoked-at = { $to } 吊销
key-not-decided = 时间未定
purpose-attestation = 证据签名
purpose-log-checkpoint = 日志检查点
purpose-agent-identity = agent 身份
purpose-agent-issuer = agent 签发
purpose-web-bot-auth = Web Bot Auth
