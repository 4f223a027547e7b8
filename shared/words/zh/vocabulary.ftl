# 封闭的词表：状态、执行状态、分组、签名、日子、区域。

state-FAILED = 未通过
state-OBSERVED_RISK = 观察到风险
state-UNVERIFIED = 未检查
state-VERIFIED = 已通过

# 密集的行里，与计数一起。
count-FAILED = 未通过 { $count }
count-OBSERVED_RISK = 观察到风险 { $count }
count-UNVERIFIED = 未检查 { $count }
count-VERIFIED = 已通过 { $count }

execution-completed = 完成
execution-errored = 出错
execution-skipped = 跳过
execution-blocked = 阻塞

group-reach = 可达性与性能
  .note = 只观测，不判定：多少毫秒算慢，取决于你的用户。
group-proto = 协议契约正确性
  .note = 是否按它声称的那版 MCP 协议说话。绝大多数「agent 突然用不了」的故障出在这一层。
group-sec = 安全卫生
  .note = 公开可观察的基础属性。这不是安全扫描。
group-drift = 契约变更与供应链
  .note = 只有相对于站长批准过的发布，变化才会被判定；否则它只是一条已记录的事实。

signature-full = 已签名，完整范围
signature-limited = 已签名，止于认证墙
signature-none = 已观测，未签名
signature-pending = 已观测，尚未签名
signature-unobserved = 尚未检查
signature-row-full = 已签名
signature-row-limited = 已签名，止于认证墙
signature-row-none = 已观测，未签名
signature-row-pending = 已观测，等待签名服务
signature-row-unobserved = 尚未检查

day-answered = 有应答
day-unanswered = 无应答
day-not_counted = 不计入
day-undetermined = 我们未能判定
day-before = 首次检查之前
day-signed = 当天至少有一次 run 已签名

key-pending = 待启用
key-active = 当前有效
key-retired = 已退役
key-revoked = 已吊销

# 运营者可以另起区域名；那些区域直接显示其代码。
region-local = 本机
region-fra = 法兰克福
region-iad = 阿什本
region-sin = 新加坡
region-hkg = 香港
region-gru = 圣保罗
region-jnb = 约翰内斯堡
