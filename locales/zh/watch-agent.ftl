# 目标主机上的代理，以及与它的连接。

agent-listens = 代理正在监听 { $address }。允许级别：{ $level }。
agent-listens-tls = 证书指纹：{ $fingerprint }
agent-listens-open = 本机上能连接该端口的任何人都可以查询它：如需限制，请设置令牌。
agent-connected = { $peer }：主控节点已连接。
agent-disconnected = { $peer }：主控节点已断开。
agent-refused = { $peer }：已拒绝。{ $reason }
agent-connection-broken = { $peer }：连接中断：{ $reason }。
agent-stops = 代理结束。

agent-cannot-listen = 代理无法监听 { $address }：{ $reason }。请用 --listen HOST:PORT 选择其他端口。
agent-needs-token = 要在回环地址之外的 { $address } 上监听，代理需要至少 { $least } 个字符的令牌。请将令牌写入只有您可读的文件（head -c 32 /dev/urandom | base64 > agent.token）并给出 --token-file agent.token，或设置 { $variable }。
agent-token-unusable = { $place } 中的令牌不可用：须为一行，1 至 { $most } 个字符。
agent-certificate-failed = 无法生成证书：{ $reason }。
agent-certificate-broken = { $path } 不可用：{ $reason }。删除后会生成新证书；主控节点届时需要新的指纹。
agent-key-open = { $path } 可被他人读取。请删除它及其证书，或只允许所有者读取（chmod 600）。
agent-file-unwritable = 无法写入 { $path }：{ $reason }。

agent-address = “{ $address }”不是代理的地址。本机的代理写 HOST:PORT，其他主机的代理写 tls://HOST:PORT。
agent-tls-needed = { $address }：其他主机上的代理使用 TLS。请写 tls://{ $address }，并给出代理打印的指纹。
agent-fingerprint-needed = { $address }：请给出代理启动时打印的指纹（选项 fingerprint）。
agent-fingerprint-form = { $address }：指纹为 sha256: 加 64 位十六进制数字，与代理打印的一致。
agent-fingerprint-unused = { $address }：指纹只用于 TLS。请写 tls://{ $address }，或去掉指纹。
agent-fingerprint-wrong = { $address } 出示的证书与指纹 { $fingerprint } 不符。请与代理打印的指纹核对：可能换了新证书，可能是另一个代理，也可能有人在中间。
agent-tls = { $address }：无法建立加密连接：{ $reason }。请检查该处的代理是否使用 TLS。
agent-unreachable = 无法连接代理 { $address }：{ $reason }。请检查代理是否在运行、端口以及中间的防火墙。
agent-link-broken = 与代理 { $address } 的连接中断：{ $reason }。
agent-no-agent = { $address } 的应答不像代理：{ $reason }。请检查端口，以及是否需要 tls://。
agent-confused = 答非所问
agent-refuses = 代理 { $address } 拒绝：{ $reason }

agent-version = 代理使用协议版本 { $ours }，主控节点使用版本 { $theirs }：请在两台主机上使用相同版本的 Plimsoll。
agent-token-missing = 需要令牌：请用文件（token-file）或环境变量（PLIMSOLL_AGENT_TOKEN）给出。
agent-token-wrong = 令牌不正确。
agent-busy = 已有 { $most } 个连接。
agent-busy-sessions = 已有 { $most } 个主控节点在监控。
agent-hello-first = 连接必须以 hello 开始。
agent-hello-again = 已经发送过 hello。
agent-not-understood = 无法理解该请求。
agent-no-session = 该会话已结束。
agent-cannot-watch = 无法开始监控：{ $reason }。

agent-source-chained = 来源“{ $source }”：代理不会再查询其他代理。请由主控节点监控它们。
agent-source-option = 来源“{ $source }”：不能从外部向代理给出设置项“{ $option }”；可以给出的有：{ $known }。其他设置项请写在代理自己的命令行 --watch 中。
agent-source-address = 来源“{ $source }”：从外部只能向代理给出 HOST:PORT、URL、端口号或进程号，不能给出文件。文件请写在代理自己的命令行 --watch 中。
agent-source-remote = 来源“{ $source }”：{ $host } 不是代理所在的主机。如需允许，请用 --allow-remote-sources 启动代理，或由主控节点监控它。

agent-level = 代理 { $address } 只观察：没有转储、直方图和剖析。如需要，请用 --allow capture 启动它。
agent-anew = 代理 { $address } 已重启，或失联过久：现在重新开始监控，其间的数据缺失。
agent-lost = 代理 { $address } 失联的时间超过了它的保留时间：丢失了 { $looks } 条记录。
agent-clock-off = 代理 { $address } 的时钟相差 { $offset_ms } ms（± { $error_ms } ms）。其时间已据此校正。
agent-too-many-series = 序列超过 { $most } 个：其余的被略去。
agent-no-captures = 没有代理 { $address } 的抓取：无法连接。
