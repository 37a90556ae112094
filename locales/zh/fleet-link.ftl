# 主控节点与执行节点之间的链路。

link-nobody = { $subject } 上无人响应。
link-timed-out = { $what }：{ $seconds } 秒内没有响应。
link-missing = { $what } 不存在（或已被删除）。
link-refused = { $what }：服务器拒绝：{ $reason }。
link-failed = { $what }：{ $reason }。

nats-no-server = 没有给出 NATS 服务器。请给出 --nats nats://HOST:4222，或设置 { $variable }。
nats-address = “{ $server }”不是 NATS 服务器的地址。请写 nats://HOST:PORT；如果连接必须加密，请写 tls://HOST:PORT。
nats-prefix = “{ $prefix }”不能作为主题前缀：最多 64 个字母、数字、- 和 _，各部分之间用点分隔。
nats-several-ways = 给出了多种向 NATS 表明身份的方式：{ $ways }。请只给一种。
nats-half-certificate = 用于 NATS 的证书与密钥必须成对：请同时给出两个文件，或都不给。
nats-credentials-file = { $path } 不能用作 NATS 凭据：{ $reason }。它应是含有 JWT 和种子的文件，如“nsc generate creds”所写。
nats-unusable-seed = 用于 NATS 服务器 { $server } 的种子不可用：{ $reason }。nkey 文件只有一行，即以 SU 开头的用户种子。
nats-unknown-host = 无法解析 NATS 服务器 { $server } 的名称：{ $reason }。请检查名称。
nats-silent = NATS 服务器 { $server } 没有及时响应。请检查地址、端口以及中间的防火墙。
nats-unreachable = 无法连接 NATS 服务器 { $server }：{ $reason }。请检查它是否在运行、端口以及中间的防火墙。
nats-no-nats = { $server } 处的响应不像 NATS 服务器：{ $reason }。请检查端口（客户端端口默认为 4222）。
nats-wants-to-know = NATS 服务器 { $server } 要求表明身份。请给出用户和密码、令牌、nkey 或凭据文件。
nats-refused = NATS 服务器 { $server } 拒绝了这些凭据：{ $reason }。请检查用户和密码、令牌、种子或凭据，以及服务器是否认识它们。
nats-not-trusted = NATS 服务器 { $server } 的证书不受信任：{ $reason }。请将签发机构的证书作为 CA 文件给出。
nats-other-name = NATS 服务器 { $server } 的证书属于其他名称：{ $reason }。请使用证书中的名称。
nats-wants-certificate = NATS 服务器 { $server } 要求本端出示证书，且须由它信任的机构签发：{ $reason }。请给出证书和密钥文件。
nats-no-tls = 无法与 NATS 服务器 { $server } 建立加密连接：{ $reason }。请检查该处是否使用 TLS；如果没有，请写 nats:// 而不是 tls://。
nats-unencrypted = 警告：与 { $servers } 的连接不要求加密，途中的人可能读到密码、篡改指令。请在 NATS 服务器上配置 TLS，并改写为 tls://（PLIMSOLL_NATS_CA_FILE：签发其证书的机构）。
nats-no-jetstream = NATS 服务器 { $server } 没有 JetStream，或未对该账户启用。请启用 JetStream（-js，或配置中的 jetstream {"{"} … {"}"}），并对该账户启用。

bundle-name = 包中的文件不能命名为“{ $name }”：名称须为相对路径，文件夹之间用 /，不含 .. 和控制字符，每部分最多 255 字节。
bundle-name-twice = “{ $name }”在包中出现两次，或既是文件又是文件夹。
bundle-too-large = 包中文件合计超过 { $mebibytes } MiB。
bundle-too-many = 包中文件超过 { $limit } 个。
bundle-damaged = 包已损坏：{ $reason }。
bundle-wrong-key = 无法解密：它是为另一个密钥加密的，或已损坏。
bundle-no-key = 这不是密钥：密钥必须是 32 字节。
bundle-no-randomness = 系统没有提供生成密钥所需的随机数。
bundle-unwritable = 无法写入 { $path }：{ $reason }。
