# 方法页：先是每项检查如何判定，再是页面自身的文字。
# 每个属性是该检查可能给出的一种状态，名字与载荷里的相同。

judged-reachability =
  .UNVERIFIED = 握手得到完整应答之前 run 就停下了：server 要求我们稍后再来、域名无法解析、连接失败、应答过大，或预算用尽。即使更早的请求得到过应答，也是如此。
  .VERIFIED = 决定握手结果的那次交换以 HTTP 回应结束，任何状态码都算。

judged-latency_profile =
  .UNVERIFIED = 一个计时请求都没有，或握手止于认证质询；这样的 run 不记录时间。
  .VERIFIED = 至少有一个计时请求。它只说明测到了：没有阈值，也不排名。发往 endpoint、得到 HTTP 回应的每个请求都计时，不论状态码；不含我们自己的 DNS 校验，也不含响应体。p50、p95 按最近秩取自 `n` 个计时请求。

judged-transport_type =
  .UNVERIFIED = 握手得到完整应答之前 run 就停下了，与 `reachability` 相同。
  .VERIFIED = 决定握手结果的那次交换经该传输以 HTTP 回应结束，无论握手本身是否成功。

judged-protocol_revision =
  .FAILED = 识别不出修订：握手失败，或写明的修订不是协议里有的。
  .UNVERIFIED = 握手得到 401 和可用的认证质询，或有防火墙挡在前面，或应答超出我们读取的限度，或 run 先停下了。这时不拿任何声明的版本号去比对。
  .VERIFIED = 识别到协议的一个修订。我们先发 2026-07-28 的 `server/discover`；其他 2xx 或 429 以外的 4xx 应答之后，再发 `initialize`，提出 2025-11-25。记录的是实际使用的修订，不是 server 支持的最新修订。

judged-discovery_handshake =
  .FAILED = 行为不符合识别到的修订的规范。没有可用质询的 401、403，以及首个请求上 2026-07-28 的协议错误，都不算认证墙，同样是「未通过」。
  .UNVERIFIED = 决定握手结果的应答是 401，且带有格式合法的 `WWW-Authenticate` 质询；或有防火墙挡在前面；或应答超出我们读取的限度；或修订未知；或 run 先停下了。
  .VERIFIED = 行为符合识别到的修订的规范，包括握手的确认。

judged-tools_list =
  .FAILED = 结构不合法。agent 会直接读不了这样的列表。
  .UNVERIFIED = 握手失败或在认证墙后，`tools/list` 得到 401 和可用的质询，或应答超出我们读取的限度，或 run 先停下了。
  .VERIFIED = 结构合法。后面某一页读不到时就停在那里，本项按第一页判定；依赖完整列表的结论这时都不会是「已通过」。

judged-error_taxonomy =
  .OBSERVED_RISK = 应答偏离协议，agent 可能不知道该不该重试。标了 `isError` 的结果也算，虽然多数 SDK 都这样做。
  .UNVERIFIED = 列表没有读完，或列出了这个名字：这时不发这次调用，因为这个名字可能属于某个工具。或者调用得到 401 或 403，没有可供判定的协议错误；或者应答超出我们读取的限度。
  .VERIFIED = 调用得到 JSON-RPC 错误对象。

judged-tls_certificate =
  .FAILED = 已过期、尚未生效、名称不匹配，或证书链断裂、没有通到我们信任的机构。各有各的原因。
  .UNVERIFIED = endpoint 用的是明文 HTTP，或证书链用到了我们的校验器不认识的东西，或还没看到证书 run 就停下了。
  .VERIFIED = run 开始时在有效期内，名称匹配，链完整。

judged-redirect_policy =
  .OBSERVED_RISK = 看到了跨主机的重定向，在任何一次交换上都算，即使 run 之后停下了。POST 收到重定向时只记录、不跟随；只有读取 metadata 的请求会跟随。
  .UNVERIFIED = 什么也没有交换，看不到重定向。
  .VERIFIED = 没有看到跨主机的重定向。

judged-auth_metadata =
  .OBSERVED_RISK = 质询或某份 metadata 结构不合法。已看到的问题照样算，即使 run 之后停下了。
  .UNVERIFIED = 既没有质询也没有 metadata，或某份文档超出我们读取的限度，或还没读到 run 就停下了。不需要登录的 server 就是这个状态，并没有什么问题。
  .VERIFIED = 看到的质询与 metadata 结构合法。

judged-tool_description_hygiene =
  .OBSERVED_RISK = 有一处或多处命中，即使列表没能读完。
  .UNVERIFIED = 没有命中，但列表没能读完，或没有列表。没读到的工具没有检查过。
  .VERIFIED = 没有命中，且列表读完了。

judged-toolset_fingerprint =
  .FAILED = 某个工具名写不成规范形式，因此没有一个人人都能算出的值。
  .UNVERIFIED = 没有完整的列表。不对列表的一部分计算。
  .VERIFIED = 能对全部各页合在一起的列表算出。变没变不在这里判定。工具名按 UTF-16 码元排序，重名保留，数组写成 `nfc-jcs/v1`，再取 SHA-256。页和工具的先后不影响结果。

judged-schema_fingerprint =
  .FAILED = 有工具没有 `inputSchema`，或某个名字、schema 写不成规范形式。
  .UNVERIFIED = 没有完整的列表。不对列表的一部分计算。
  .VERIFIED = 能对全部各页合在一起的列表算出。变没变不在这里判定。每个工具取 `name` 和原样的 `inputSchema`，按名字排序，数组写成 `nfc-jcs/v1`，再取 SHA-256。description 变了，它不变。

judged-toolset_unchanged_vs_approved =
  .FAILED = 已批准发布之后新增或删除了工具。改名算删除一个、新增一个。
  .UNVERIFIED = 没有批准过任何发布，或两份列表里有一份不完整。
  .VERIFIED = 工具就是已批准发布里的那些。

judged-schema_unchanged_vs_approved =
  .FAILED = 两份列表都有的工具中，至少有一个的规范 inputSchema 不同。
  .UNVERIFIED = 没有批准过任何发布，或两份列表里有一份不完整。
  .VERIFIED = 两份列表都有的工具，规范 inputSchema 都相同。

## 两种页面共用

method = 方法
method-version = 套件 mcp，{ $version } 版
method-checked = 检查什么
method-judged = 如何判定
method-judged-note = 只列这项检查可能给出的状态。
method-not = 它不能说明什么
method-reasons = 原因
method-reasons-note = 这项检查可能给出的每一个原因及其 key。‹名字› 代表具体的值。指向 key 的链接不会变。
method-words = { $names } 可能是什么
method-other-word = 其他
method-unsigned = run 没有签名的原因
method-unsigned-note = 未签名的页面所写的 key。
method-try = 发布之前，先试一试你的文字：
method-limits = 上限
method-limits-note = 取自代码运行时所用的常量。
method-limit = 上限
method-value = 值
method-corrections = 更正
method-corrections-note = 更早的已签名结果保持不变，仍可核实。
method-corrections-none = 还没有。这是套件的第一个版本，{ $version }。如果结果的含义有变，版本、日期，以及更早的结果该如何理解，都会写在这里。

limit-requests = 一次 run 的请求数，含握手
limit-seconds = 整次 run 的时间
limit-seconds-value = { $count } s
limit-bytes = 一个响应，传输时与解码后都算
limit-headers = 一个响应的全部头部
limit-levels = JSON 的嵌套层数
limit-bytes-value = { $count } 字节
limit-later-requests = 读取工具列表后续页的额外请求
limit-pages = 一份工具列表的页数
limit-tools = 一份列表的工具数
limit-redirects = 跟随的重定向，仅限读取 metadata
limit-excerpt = 展示的命中原文
limit-description = 列为过长的描述
limit-characters = { $count } 个字符
limit-over-characters = 超过 { $count } 个字符

## 一项检查

method-check-title = { $title }：如何检查
method-check = 检查
method-suite = 套件
method-since = { $suite }，自 { $version } 起
method-answers = 可能的状态
method-never = 从不给出{ $states }
method-rules = 规则
method-rules-note = 英文词不分大小写，按整词匹配。name 与 description 各是一段文本。
method-exactly = 逐字逐句
method-exactly-note = 句子在 `. ! ?`、换行和 `。！？` 处结束；从句还在 `, ;` 和 `，；` 处结束。对从句和第 16 种短语，`. ! ?` 后面是空白或文本结尾时才算结束。从句向两侧各至多延伸 200 个字符。短语的词与词之间可以是任何空白。
method-rule = 规则
method-looks = 找什么
method-hit = 命中
method-no-hit = 不命中
method-no-risk = 本身从不算风险

rule-H1 = H1 隐藏字符
  .looks = 零宽字符、Tag 区、双向覆盖符。同一种文字的拼写之中，或两个 emoji 之间的连接符不算。
  .exactly =
    U+200B、U+200C、U+200D、U+2060、U+FEFF；Tag 区 U+E0000 至 U+E007F；U+202A 至 U+202E、U+2066 至 U+2069。
    不算：U+200C 或 U+200D 两侧最近的字符（跳过组合附加符号）是同一种文字的字母，而且这种文字的正常拼写会用到它：阿拉伯文、叙利亚文、西非书面文（N’Ko）、蒙古文、天城文、孟加拉文、古木基文、古吉拉特文、奥里亚文、泰米尔文、泰卢固文、卡纳达文、马拉雅拉姆文、僧伽罗文、高棉文、缅甸文、藏文。
    不算：U+200D 直接夹在两个 emoji 之间；跟在肤色修饰符后面的仍算。
rule-H2 = H2 长度
  .looks = 过长的描述。只列出。
  .exactly =
    字符指码点；这些规则里的字符数都这样计。
rule-H3 = H3「不要告诉用户」
  .looks = `do not` 后接 tell、inform、mention、reveal 或 show，再接 user 或 human，以及后面的内容。
  .exactly =
    `do not`，接 tell、inform、mention、reveal、show 之一，`the` 可有可无，再接 user 或 human。
    紧跟在后面的是 `about`、`that you`、`what you`、`how you`、`anything`、`any of`、`. , ; : ! )` 之一或文本结尾时，算。
    紧跟的是 `'s` 或 `’s`、前有空格或制表符的连字符、en 或 em 破折号、换行，或 that、what、why、where、how、this、any 之一时，也算；但如果在它之后（换行则看下一行）、在下一个 `. , ; ! ?`、换行或 `，。！？；` 之前出现 until、unless、yet、before、after、otherwise、once、while、if、when 之一，就不算。
rule-H4 = H4「系统提示词」
  .looks = `your system prompt`，或前面有 reveal、ignore、print 这样的动词，或位于行首。
  .exactly =
    `system prompt` 或 `developer prompt`，前面是 `your` 或 `your new`。
    或者前面是 reveal、print、output、repeat、disclose、leak、ignore、override、disregard、forget、show、return、display、replace、dump、echo、`act as` 之一；中间可以依次有（都可省）：out；the、any、all 或 your；previous、prior、above、earlier、original 或 `contents of`；the 或 your。
    或者位于行首（前面只有空格、制表符和 `# * > [ -`），后面是冒号或 `override`，中间可有空白。
rule-H5 = H5 隐瞒未通过的检查
  .looks = `never` 或 `do not` 后接 say 或 mention，同一从句里再有 missing、unverified 或 failed；中间有 because、when、if 或 unless 时不算。
  .exactly =
    `never`、`do not` 或 `don't`（两种撇号都算），接 say、mention、tell、disclose、reveal 或 state；同一从句里再往后有 missing、`not verified`、unverified、failed 或 absent。
    两者之间有 because、when、if、unless、since、as 或 so 时不算。
rule-H6 = H6 未经确认的花费或身份信息
  .looks = 16 种短语，附近有花费或身份类的词；旁边写明上限、策略或确认时不算。
  .exactly =
    1. pay，同一句里 40 个字符以内接 `by default`。
    2. `no approval` 或 `no confirmation`，`is` 可有可无，再接 needed 或 required。
    3. `need not ask`。4. `zero questions`。
    5. `without asking`；后面接 `for` 或 `us` 时不算，同一句里它前面 30 个字符以内有 never、not 或以 `n't` 结尾的词时也不算。
    6. `does not` 或 `doesn't`，接 `require`，再接 per-change、per-action、per-call、per-purchase 或 per-payment（连字符可以是空格），再接 `approval`。
    7. `the grant`、`the allowance` 或 `the delegation`，接 `is the` 或 `is your`，再接 permission、approval 或 consent。
    8. accept 或 approve，接 all、every 或 any，隔至多两个词，再接 prompt、confirmation、dialog 或 request，单复数都算。
    9. continues、repeats 或 recurs，接 `automatically`。10. `agent loop`，前面是 the、your 或 this。
    11. `git config`，中间可有 `--get` 之类的选项，再接 `user.email`。
    12. `never ask`，`the user` 可有可无，接 `before`，再接 charging、paying、buying、purchasing、spending、billing、renewing 或 subscribing。
    13. 无需确认、无需另行确认、视为同意、视为用户同意。
    14. sell、sells、selling、sellable、resell、resells、reselling 或 resellable，同一句里 80 个字符以内接 entrusted 或 lent，`to` 可有可无，再接 `you`。
    15. raise、increase、disable 或 `turn off`，the 或 your 可有可无，再接 `spendControls`（可带一个点和名称）、`maxAmountPerPayment`、spend 或 spending 加 limit、limits、cap 或 caps、payment 加 cap 或 caps。或者 `set` 接其中之一，`:`、`=` 或 `to` 可有可无，再接 `false` 或 `0`，后面不紧跟点、字母、数字或下划线。
    16. pays、charges 或 spends，同一句里 40 个字符以内接 `from`，再接 `your owner's`、`the user's`、`your human's` 或 `the human's`（两种撇号都算），再接 credit、credits、balance、wallet 或 funds。这一句或下一句里（向前至多 400 个字符，向后至多 800 个）有 confirm、confirms、confirmed、confirming、confirmation、confirmations、approve、approves、approved、approving、approval、approvals 之一，或 ask、asks、asked、asking 之一在同一句 40 个字符以内接 `permission` 时，不算。
    短语前后 200 个字符以内要有花费或身份类的词才算：pay、pays、paid、paying、payer、payment、payments、charge、charges、charged、charging、credit、credits、wallet、wallets、USDC、invoice、invoices、purchase、purchases、purchased、purchasing、buy、buys、buying、subscribe、subscribes、subscribed、subscribing、subscription、subscriptions、renew、renews、renewed、renewal、renewals、bill、bills、billed、billing、cost、costs、fee、fees、refund、refunds、refunded、refundable、spend、spends、spending、money、identity、email、emails、e-mail、e-mails、`$` 加数字，或扣费、续费、费用、支付、付款、购买、订阅、钱包、邮箱、身份。
    短语前面 120 个字符以内有这些词之一时不算：cap、caps、capped、limit、limits、ceiling、ceilings、max、maximum、policy、policies、mandate、mandates、allowlist、allowlisted、whitelist、whitelisted（也可带连字符）、threshold、thresholds、quota、quotas、上限、额度、限额、策略、白名单。第 15 种不受此限。
    花费或身份类的词，如果所在的从句写明不花钱或不发送，就不作数：cost 或 costs，隔至多两个词接 nothing；free，但 `feel free` 除外；`no` 加 charge、charges、cost、costs、fee 或 fees；does not、doesn't、do not、don't、never、will not 或 won't，接 send、collect、store 或 share（含加 s 的形式）；免费、不收费。
    短语或这类词所在的从句里有 `no purchase`、`no purchases`、`read-only`、`read only`、`does not` 或 `doesn't` 接 buy、purchase、register 或 charge、`what it costs`、`how much` 之一时，它也不作数。
rule-H7 = H7 不等用户就继续
  .looks = `without` 后接 another、a new 或 further，再接 user 或 human，再接 message、prompt 或 turn。
  .exactly =
    `without`，`waiting for` 可有可无，接 another、`a further`、`any further`、further、`a new`、`a second`、`an additional` 或 additional，再接 user 或 human，再接 prompt、message、request、turn 或 reply，单复数都算。
rule-H8 = H8 对助手的命令
  .looks = ignore previous；you must always；点名凭据文件；伪造的角色标记；脚本标记。
  .exactly =
    ignore 或 disregard，all 或 any 可有可无，接 previous、prior、above 或 earlier。
    you 接 must、should 或 shall，再接 always 或 never。`before using any other tool`、`before calling any other tool`。
    read、send、upload、post、exfiltrate、dump 或 cat，40 个字符以内接 `.env`、`~/.ssh`、`id_rsa`、`.aws/credentials`、`netrc` 或 `.npmrc`。
    伪造的角色分隔符，例如 `<system>`、`</instructions>`、`[INST]`、`<|im_start|>`；script 与 iframe 标签、事件属性、`javascript:`；私用区字符。
    工具名里有 U+0020 至 U+007E 之外的字符时，连同它所属的文字一并列出，本身不算风险。

## 总页

method-title = 方法与上限
method-lede = 看什么、如何判定，以及这里的结果都不能说明什么。
method-states = 四种状态
method-states-note = 断言的状态：得出了什么结论。分开计数，绝不相加。
state-meaning-FAILED = 在这次 run 里，我们独立观测到这项检查未通过，针对的正是这个 endpoint。如实展示，不隐藏，也不改写措辞。
state-meaning-OBSERVED_RISK = 我们观测到一个值得标注的情况，但它本身不是结论，例如描述里有面向 agent 而非人的内容。这是一个信号，不是判决。
state-meaning-UNVERIFIED = 在这次 run 里我们没能得出结论，并附原因。这不表示有问题，也绝不会被当作通过。
state-meaning-VERIFIED = 在这次 run 里，我们独立观测到这项检查通过，针对的正是这个 endpoint。
method-executions = 四种执行状态
method-executions-note = 检查的执行：工作是怎么进行的。与状态分开记录，绝不合并计数。
execution-meaning-completed = 检查做到了最后。
execution-meaning-errored = 检查开始了，中途断了。
execution-meaning-skipped = 没有可供检查的内容。
execution-meaning-blocked = 前面的某件事使检查没能进行。
method-checks = 十五项检查
method-checks-note = 套件 mcp，分四组。每项各有一页，列出原因与上限。
method-run = 一次 run
method-run-note = 不带凭据，也不调用所列的工具。
method-run-text = 一次 run 先发 `server/discover`，对旧版 server 则发 `initialize` 与 `notifications/initialized`；再发 `tools/list`；再调用一次任何一页都没有列出的保留工具名；最后用 GET 读取认证 metadata。从不对 endpoint 本身发送 GET。429，或带 `Retry-After` 的 503，会立即结束本次 run，排程也照办。
method-signing = run 何时签名
method-signing-note = 与是否被认领无关。
method-scope-full = 握手完成，工具列表读到了最后。
method-scope-limited = 握手或工具列表得到 401 和可用的认证质询。签名为可达性、传输、重定向、认证 metadata 与质询本身作保：只留名称、至多一个 URL 和至多一个摘要。载荷里其余各项都是「未检查」并附原因，报告页对它们不下结论。
method-scope-none = 列表不完整、握手失败、没有连上、得到 5xx，或得到没有可用质询的 401；或被我们自己的检查取消了资格。页面这时只展示看到的东西，不用四种状态中的任何一种。如果只是签名服务连不上，它一恢复就签名。
method-days = 日子怎么计
method-days-note = UTC 日，最近 { $days } 天。
day-meaning-answered = 当天每一次可达性检查都得到了 endpoint 的应答。
day-meaning-unanswered = 至少有一次没有：域名无法解析、连接失败、预算内没有收到完整应答，或握手得到 5xx。
day-meaning-not_counted = 没有一次无应答，而至少有一次因我们自己的原因无法判定：被要求稍后再来，或我们的策略拒绝连接。
day-meaning-undetermined = 该看而没有看。这是我们的空缺，绝不算作 server 的问题。
day-meaning-before = 首次检查之前的日子。不计入，也不补填。
method-days-share = 已观测日可达率是「有应答」的天数占「有应答」与「无应答」天数之和的比例。计入的天数标在旁边。
method-days-from = 连接失败自 { $connection } 起算无应答，5xx 自 { $server } 起。更早的记录保持原样。
method-unchanged = 「至少 N 天未变」是下界：只统计最近一份与前一份不同的工具列表之后、有 run 列出了工具的日子。
method-stale = 观测何时算未更新
method-stale-note = 所有档位同一条规则。档位只改变周期，不改变别的。
method-stale-text = 观测的时间超过该 target 的周期再加 { $hours } 小时 { $minutes } 分钟，就标为未更新。小时数向下取整。未更新的页面仍然是已签名的。
method-tier = 档位
method-cadence = 周期
method-stale-after = 多久算未更新
tier-unclaimed = 未认领
tier-free = 已认领，Free 档
tier-indie = 已认领，Indie 档
method-duration = { $hours } 小时 { $minutes } 分钟
method-does-not = Touchstone 不做什么
does-not-source = 我们从外部、按固定周期看一个存活的 endpoint。我们不审计源代码。
does-not-scan = 这不是安全扫描。我们不测 prompt injection、数据外泄或权限滥用：那需要调用真正的工具，而我们从不调用。
does-not-between = 我们不为两次 run 之间作保。一份干净的报告是检查了什么、看到了什么的记录，不是保证。
does-not-score = 我们不把状态加成分数、等级或名次；付费层级永不改变排序。
