# 样本失败的原因。每种错误三条：简称、含义、排查方向。

error-kind-other = 其他错误
error-kind-other-meaning = 请求失败，原因不属于其他任何一类。
error-kind-other-look = 查看样本的消息，并用 `plimsoll once` 执行测试计划以查看完整的请求与响应。

error-kind-read-timeout = 读取超时
error-kind-read-timeout-meaning = 连接已建立，但响应没有及时到达：请求在服务器上排队或执行过久。
error-kind-read-timeout-look = 比较忙碌与可用的工作线程数，查找慢代码、锁和慢 SQL；只有当等待本属正常时才调大超时时间。

error-kind-connect-timeout = 连接超时
error-kind-connect-timeout-meaning = 未能及时建立 TCP 连接：等待队列已满，或途中丢包。
error-kind-connect-timeout-look = 在服务器上查看等待队列 (accept queue) 溢出、SYN 重传和 accept-count 设置，再查看中间的防火墙与路由。

error-kind-connection-refused = 连接被拒绝
error-kind-connection-refused-meaning = 主机回复该端口不接受连接，或等待队列已满且被设为直接拒绝。
error-kind-connection-refused-look = 确认进程正在运行并监听该地址和端口，以及它在压测期间是否重启过。

error-kind-connection-closed = 连接被关闭
error-kind-connection-closed-meaning = 服务器在返回任何一个字节之前关闭了连接，常见原因是请求发出时长连接恰好达到上限。
error-kind-connection-closed-look = 查看服务器及其前面各级代理服务器的长连接超时、单个连接的最大请求数和最大连接数。

error-kind-closed-in-body = 响应体中途关闭
error-kind-closed-in-body-meaning = 服务器在响应尚未完整时就停止了发送。
error-kind-closed-in-body-look = 在服务器日志中查找写响应时的异常或崩溃，并检查各级代理服务器的超时与缓冲区限制。

error-kind-connection-reset = 连接被重置
error-kind-connection-reset-meaning = 连接不是正常关闭而是被重置，常由负载均衡、防火墙或过载的服务器造成。
error-kind-connection-reset-look = 对比负载均衡、防火墙和服务器的空闲超时，并查看重置发生时是否有重启或队列溢出。

error-kind-unknown-host = 未知主机
error-kind-unknown-host-meaning = 主机名无法解析为地址。
error-kind-unknown-host-look = 检查主机名的拼写和压力机的域名解析，或在测试计划的 DNS 覆盖中直接指定地址。

error-kind-illegal-http2-header = HTTP/2 非法头
error-kind-illegal-http2-header-meaning = 请求带有 HTTP/2 禁止的头，例如 Connection、Keep-Alive、Proxy-Connection、Transfer-Encoding、Host 或 Upgrade。
error-kind-illegal-http2-header-look = 从测试计划中删除该头，或改用 HTTP/1.1 发送请求。

error-kind-no-local-port = 本地端口耗尽
error-kind-no-local-port-meaning = 压力机自身没有空闲的本地端口来建立新连接。
error-kind-no-local-port-look = 使用长连接，放慢加压，扩大本地端口范围，或增加源地址、增加压力机。

error-kind-tls-handshake = TLS 握手失败
error-kind-tls-handshake-meaning = 客户端与服务器未能就加密连接达成一致。
error-kind-tls-handshake-look = 确认该端口使用 TLS，服务器接受哪些协议版本和加密套件，以及是否要求客户端证书。

error-kind-tls-certificate = 证书不被接受
error-kind-tls-certificate-meaning = 服务器证书已过期、名称不符，或由此处不信任的机构签发。
error-kind-tls-certificate-look = 更正证书，在测试计划中指定其签发机构，或仅对测试环境关闭证书校验。

error-kind-malformed-response = 响应格式错误
error-kind-malformed-response-meaning = 返回的内容不符合协议：不是合法的 HTTP 响应、事件流或 WebSocket 帧。
error-kind-malformed-response-look = 确认该主机和端口提供的是不带 TLS 的 HTTP，并用 `plimsoll once` 查看响应内容。

error-kind-header-limit = 响应头过大
error-kind-header-limit-meaning = 响应头的数量或大小超过限制。
error-kind-header-limit-look = 查找随每次请求增长的 Cookie 或响应头；确属设计如此时才调大限制。

error-kind-body-limit = 响应体过大
error-kind-body-limit-meaning = 响应体超过限制。
error-kind-body-limit-look = 检查请求是否取了比预期更多的数据，或在测试计划中调大限制。

error-kind-decoding = 响应体无法解码
error-kind-decoding-meaning = 响应体无法按 Content-Encoding 解压，或无法按其字符集读取。
error-kind-decoding-look = 对照 Content-Encoding、Content-Type 头与实际发送的内容，也要检查会压缩内容的代理服务器。

error-kind-redirect-loop = 重定向过多
error-kind-redirect-loop-meaning = 请求被重定向的次数超过允许值，多半是循环重定向。
error-kind-redirect-loop-look = 用 `plimsoll once` 逐个查看 Location 头；常见原因是没有登录或缺少 Cookie。

error-kind-proxy = 代理服务器失败
error-kind-proxy-meaning = 无法连接测试计划中的代理服务器，或代理服务器拒绝了请求。
error-kind-proxy-look = 检查代理服务器的地址、账号密码及其日志。

error-kind-out-of-file-descriptors = 文件描述符耗尽
error-kind-out-of-file-descriptors-meaning = 压力机不能再打开更多文件或连接。
error-kind-out-of-file-descriptors-look = 在压力机上调大打开文件数限制（ulimit -n），或减少连接数。

error-kind-check-failed = 检查未通过
error-kind-check-failed-meaning = 响应已到达，但测试计划中的某项检查不成立。
error-kind-check-failed-look = 样本的消息写明了哪项检查及其实际值；压力之下常见的原因是状态码为 200 的错误页面。

error-kind-http-status = HTTP 错误状态码
error-kind-http-status-meaning = 响应已到达，状态码为 400 或更高，而测试计划中没有检查说明这是正确的。
error-kind-http-status-look = 状态码和响应体说明原因：失败样本中都有。查看服务器同一时刻的日志；502、503、504 往往来自前面的代理服务器。如果该状态码本来就是预期的，请写明：check: {"{"}status: 404{"}"}。

error-kind-host-not-allowed = 主机不被允许
error-kind-host-not-allowed-meaning = 请求发往不允许加压的主机：测试计划和命令都没有允许它（例如被重定向到那里），或者它不在工作台的主机列表里。
error-kind-host-not-allowed-look = 如果允许对该主机加压，用--allow-host加上它；在工作台里由管理员在“设置”的主机列表中加上。否则修正指向它的链接或重定向。

error-kind-network = 网络错误
error-kind-network-meaning = 网络无法传送请求：没有路由、网络中断或其他 I/O 错误。
error-kind-network-look = 样本的消息中有系统错误；检查压力机的网卡、路由和防火墙。

error-kind-script-failed = 脚本失败
error-kind-script-failed-meaning = 测试计划中的脚本或表达式以错误结束。
error-kind-script-failed-look = 样本的消息中有脚本的错误和行号；用 `plimsoll once` 执行测试计划以查看变量。

error-kind-cut-off = 未完成
error-kind-cut-off-meaning = 运行被立即停止时，或宽限时间用完时，该样本仍未得到响应；JMeter 把这样的样本记为失败。
error-kind-cut-off-look = 结束之前的响应时间：响应要多久？在测试计划中设置响应超时，可以结束那些永远得不到响应的样本。
