# `plimsoll tune`及其调优方案的文本。

## 调优方案中的错误

study-empty = 调优方案是空的
    .remedy = 一个小的调优方案包含 plan、components 和 knobs；见 docs/tune.zh-CN.md。
study-not-a-mapping = 调优方案应当是键到值的映射
study-without-components = 调优方案没有组件
    .remedy = 在 components 下写明如何启动被测系统，或者它已经在运行。
study-without-knobs = 调优方案没有调优参数
    .remedy = 在 knobs 下写明可以改什么：文件中的键、启动参数、环境变量、命令、SQL语句。
study-running-without-reload = 组件已在运行，却没有 reload
    .remedy = 加上 reload（让它重新读取配置的命令），或改用 start。
study-only-with = “{ $key }”属于“{ $other }”，而后者没有写
    .remedy = 加上“{ $other }”，或去掉“{ $key }”。
study-knob-without-values = 该调优参数没有写明取值
    .remedy = 加上 range（例如 8..200）或 values（列表）。
study-value-twice = values 中已有“{ $value }”
    .remedy = 每个值只写一次。
study-cannot-judge = 按“{ $key }: { $value }”无法做出任何判断
    .remedy = { $what ->
        [error-rate] 须大于 0 %，不超过 50 %：没有任何改动真正有效时，误留改动的概率（不写时为5 %）。
        [smallest-gain] 须小于 100 %：要降低的指标最多只能降低它的全部（不写时为3 %）。
        [measure] 至少 1s：计入结果的运行测量多久（不写时为20s）。
        [time] 须大于 0s：全部试验的时间上限，例如 2h；不限时间就不写。
       *[ready-within] 须大于 0s：组件最多等多久就绪（不写时为60s）。
    }
study-no-place-for-value = “{ $text }”中没有放值的位置
    .remedy = 在值的位置写 {"{}"}，例如 { $place ->
        [sql] SET GLOBAL innodb_io_capacity = {"{}"}
        [command] sysctl -w net.core.somaxconn={"{}"}
       *[argument] -Xmx{"{}"}m
    }。
study-read-back-nothing = 请写 {"{"}nothing: true{"}"}。
study-unknown-component = 没有名为“{ $name }”的组件
    .remedy = 方案中有：{ $known }。
study-knob-of-which = 调优参数“{ $name }”没有写明属于哪个组件
    .remedy = 加上 of，取值为：{ $known }。
study-says-the-agent = 其他主机上组件的“{ $key }”不由调优方案规定
    .remedy = 请在这里去掉“{ $key }”；它写在那里的Agent的文件中（plimsoll agent --tune FILE）。
agent-scope-chained = Agent文件中的组件“{ $name }”又在另一个Agent上
    .remedy = 请写明它在这里如何启动或重新加载；另一个Agent由调优方案直接连接。
agent-scope-lease-short = 租约太短
    .remedy = 至少 { $least } s：最后一次收到调优方案的消息之后多久恢复一切。
agent-scope-unreadable = 无法读取 { $path }：{ $reason }
tune-agent-not-here = 其他主机上的组件只能从命令行改动：plimsoll tune study.yaml
tune-agent-says-where = 调优参数“{ $name }”在其他主机上，而调优方案写了它的位置
    .remedy = 这里只写名称、range 或 values；其余写在那里的Agent的文件中。
tune-bad-range = “{ $range }”不是一个范围
    .remedy = 写两个数，小的在前，例如 8..200；单位写在 unit 里。
tune-range-too-large = 范围 { $range } 太大：其中的整数无法精确到个位
    .remedy = 两端都应在 -9007199254740991 与 9007199254740991 之间；或在 values 里逐个列出取值，或用更大的单位（例如用 unit: m 而不是字节）。
tune-bad-step = 步长与范围 { $range } 不符
    .remedy = 步长是大于0、不超过范围宽度的数。
tune-ratio-of-nothing = 范围 { $range } 从0或更小开始，无法按比例取值
    .remedy = 让范围从大于0的数开始，或去掉 by-ratio。
tune-not-by-shell = “{ $word }”要由shell执行，而命令不经过shell
    .remedy = 请用组件的 folder、environment，或写 sh -c '…'。如果就是要这几个字符本身，请放进单引号。
tune-bad-command = 这不是命令：{ $text }
    .remedy = 请补全引号。命令不经过shell：需要管道和变量时写 sh -c '…'。
tune-ready-https = ready 不支持https地址
    .remedy = 写 主机:端口，或一个命令，例如 curl -kfsS https://…。
tune-read-back-https = read-back 不支持https地址
    .remedy = 写http地址，或一个命令，例如 curl -kfsS https://…。
tune-without-ready = 无从知道组件“{ $name }”何时就绪
    .remedy = 加上 ready：http地址、主机:端口或命令。
tune-needs-start = 调优参数“{ $name }”是启动参数或环境变量，而该组件不由Plimsoll启动
    .remedy = 给组件写上 start，或写明该设置所在的文件。
tune-command-without-default = 不知道调优参数“{ $name }”现在的值，因此无法恢复
    .remedy = 加上 default：结束时恢复成的值。
tune-sql-without-database = 调优参数“{ $name }”由SQL语句设置或回读，而组件“{ $component }”没有写 database
    .remedy = 写明在哪里执行语句：database: mysql://127.0.0.1:3306,user=tuner,password-env=PW
tune-bad-database = “{ $text }”不是数据库地址
    .remedy = 写 mysql://主机:端口 或 postgresql://主机:端口/数据库，再用逗号接 user=… 和 password-env=… 或 password-file=…。密码不写在方案里。
tune-bad-database-key = “{ $text }”不是 user、password-env、password-file 之一
    .remedy = 写 mysql://主机:端口,user=用户名,password-env=变量名。
tune-database-password = “{ $text }”中没有数据库的密码
    .remedy = 设置该环境变量，或使该文件可读。
tune-unknown-knob = 没有名为“{ $name }”的调优参数
    .remedy = { $any ->
        [yes] 相近的有：{ $near }。全部列表：plimsoll tune --knobs
       *[no] 全部列表：plimsoll tune --knobs。自定义参数要写明位置：file 和 key、argument、env、command 或 sql。
    }
tune-knob-not-in-file = { $name } 不写在 { $path } 这类文件里
    .remedy = { $any ->
        [yes] 加上 format，取值为：{ $known }；或换一个文件。
       *[no] 没有已知的文件可写：去掉 file，使它写进启动命令或其环境变量；或自己写明 key 和 format。
    }
tune-knob-needs-file = 组件的启动命令里没有 { $name } 的位置
    .remedy = { $kernel ->
        [yes] 用 file 写明它所在的文件（格式为：{ $known }）。
       *[no] 用 file 写明它所在的文件（格式为：{ $known }），或让启动命令直接启动程序，不要经过脚本或 sh -c。
    }
tune-knob-of-another-program = { $name } 不是组件“{ $component }”所启动的 { $program } 的参数
    .remedy = 请用 of 写明它属于哪个组件。
tune-knob-wants-values = 方案必须写明 { $name } 的取值
    .remedy = { $any ->
        [yes] 加上 values（列表），可以是任意文本。
       *[no] 加上 values（列表）。允许的值：{ $allowed }。
    }
tune-knob-value = { $number ->
        [yes] { $given } 超出了 { $knob } 的搜索范围
       *[no] { $knob } 不能是 { $given }
    }
    .remedy = { $number ->
        [yes] 搜索范围为：{ $allowed }；单位写在两端，例如 256m..2g。要超出该范围，请用自定义的参数（写 file 和 key）。
       *[no] 允许的值：{ $allowed }。
    }
tune-capacity-without-goal = 容量是满足约束的最大负载，而方案中没有约束
    .remedy = 写明必须满足的条件，例如 constraints: [p99 < 300 ms, errors < 0.1 %]。
tune-usage-of-nothing = “{ $what }”只统计由Plimsoll或Agent启动的进程，而没有组件写明 start 或 agent
    .remedy = 请为某个组件写明 start 或 agent，或从方案中去掉“{ $what }”。
tune-not-allowed = 调优参数“{ $name }”会牺牲{ $what }来换取速度
    .remedy = 如果这里可以接受，请在 allow 中点名：allow: [{ $name }]
tune-allows-nothing = allow 中的“{ $name }”不是调优参数
    .remedy = 方案中有：{ $known }。
tune-file-unreadable = { $path } 无法使用：{ $reason }
    .remedy = 写一个存在且可读的文件，相对于方案所在目录。
tune-key-unusable = { $path }：{ $reason }
    .remedy = 请检查“key”和“format”：docs/tune.zh-CN.md 说明了每种格式如何写键名。其他格式的文件，或带有其格式不允许的内容（如JSON中的注释）的文件，可用“format: pattern”查找取值。
tune-key-in-included = 该设置写在 { $other } 里，由 { $path } 引入
    .remedy = 请写明那个文件：写进另一个文件的值可能被它覆盖。
tune-knob-overruled = 启动命令里有 { $other } 时，{ $name } 不起作用
    .remedy = 请把 { $other } 作为调优参数，或从命令中去掉它。
tune-knob-unwritten = 调优参数“{ $name }”在{ $path }中不能设为{ $value }：{ $reason }
    .remedy = 请改正 key、values 或文件，使该值有处可写。
tune-range-of-no-number = 第{ $line }行、调优参数“{ $name }”所在位置上是“{ $found }”：换成范围里的数字后含义会不同
    .remedy = 请给范围注明“unit”（如unit: m），或按文件中的写法列出“values”。
tune-same-place = 调优参数“{ $other }”和“{ $name }”写在同一个位置，或其中一个位于另一个之内
    .remedy = 请只保留其中一个，或者给两者都写上 only-if，使它们不会同时起作用。
tune-bad-variable = “{ $name }”不是环境变量名
    .remedy = 只写变量名（WORKERS），由字母、数字和下划线组成；取值写在“values”或“range”里。
tune-unknown-format = 不知道该文件的格式
    .remedy = 加上 format，取值为：{ $known }。
tune-never = 调优参数“{ $name }”会改动方案规定绝不改动的内容：{ $never }
    .remedy = 去掉该调优参数，或从 never 中去掉它。
tune-bad-only-if = “{ $text }”不是条件
    .remedy = 写与另一个调优参数的比较，例如 collector = G1 或 threads > 100。
tune-bad-relation = 无法解析“{ $text }”
    .remedy = 写一个由和、积组成的比较，例如 pool <= threads - 10。减号两边要有空格。
tune-relation-units = “{ $text }”两边的单位不能比较
    .remedy = 两边都用大小（k、m、g、t）或都用时间（us、ms、s、m 或 min、h、d、w），或者都不写单位。
tune-relation-of-nothing = “{ $text }”中的“{ $name }”不是方案中的调优参数
    .remedy = 方案中有：{ $known }。减号两边要有空格。
tune-relation-never = “{ $text }”对方案可尝试的任何取值以及现有值都不成立
    .remedy = 请检查其中各参数的范围，或去掉这条关系。
tune-only-if-never = 参数“{ $name }”永远不会被尝试：“{ $text }”对方案可尝试的任何取值以及现有值都不成立
    .remedy = 请检查其中各参数的取值和范围，或去掉该条件。
tune-plan-no-study = 这是测试计划，不是调优方案
    .remedy = 用 --start '命令'，Plimsoll会自行启动被测系统并尝试诊断所建议的设置；否则请编写调优方案，在其 plan 中指定本文件（docs/tune.zh-CN.md 中有简短示例）。
tune-never-of-nothing = never 中的“{ $never }”既不是文件或目录，也不是该方案的调优参数或键：它不保护任何内容
    .remedy = { $any ->
        [yes] 是否想写 { $near }？
       *[no] 请写路径（相对于方案所在目录；目录包括其中的所有内容；不支持通配符）、键或调优参数的名称。
    }
tune-study-unreadable = 无法读取调优方案 { $path }：{ $reason }
    .remedy = 请指定一个YAML文件；docs/tune.zh-CN.md 里有小例子。

## 调优进行时

tune-why-too-large = 它有 { $mib } MiB，而要改动的文件最大为 { $limit_mib } MiB（读取它约需其大小五十倍的内存）。请把这些设置移到由它引入的单独文件中，或用 command 设置该参数
tune-why-missing = 文件不存在
tune-why-denied = 没有读取权限
tune-why-folder = 是目录，不是文件
tune-why-no-file = 是设备或管道，不是普通文件
tune-file-unwritten = 无法修改 { $path }：{ $reason }
    .remedy = 运行者必须有权写该文件及其目录：请以其属主或root运行。
tune-file-unread = 无法读取 { $path }：{ $reason }
    .remedy = 运行者必须有权读该文件：请以其属主或root运行。
tune-still-answers = “{ $name }”已停止，但进程 { $pid }（{ $command }）仍在监听 { $ready }：它没有调优的标记，因此不会被结束，并会代替“{ $name }”响应
    .remedy = 请结束该进程。不要让 start 留下清空了环境变量的进程，或在 stop 里写能结束它的命令。
tune-journal-not-ours = { $path } 属于其他用户、他人可写，或是链接：其内容不可信，不会按它恢复任何东西
    .remedy = 请以当初执行调优的用户运行。如果确知没有别人写过：chown 给自己，并 chmod go-w。
tune-journal-unusable = 无法读取或使用该调优的目录 { $path }：{ $reason }
tune-journal-damaged = { $path }/journal.jsonl 的第{ $line }行无法读取：已损坏，或来自其他版本的Plimsoll。其余各行所记的内容已恢复。
tune-journal-lost = { $path } 里的日志没有写明改动过什么，而那里还有原文件的副本：可能仍有文件处于改动后的状态，该调优的进程也可能还在运行（它们的环境变量中有 PLIMSOLL_TUNE）。请对调优方案文件执行 plimsoll tune STUDY --restore：它会列出文件旁边的每个原文件以及放回它的命令。然后删除 { $path }。
tune-file-several-names = { $path } 是一个有 { $count } 个名称的文件（硬链接）：调优只会更改这个名称下的内容，其他名称下仍是旧内容。请让被测系统读取只有一个名称的副本，并在调优方案中写该副本；或删除其他名称（可用 find / -xdev -samefile FILE 列出）。
tune-not-restored = { $path } 旁边有另一次调优保存的原文件：那次调优还在进行，或已被强行结束。请等它结束，或用以下命令恢复：plimsoll tune --restore。如果因为那次调优的运行目录已被删除而找不到可恢复的内容，原文件是 { $original }，用以下命令放回原处：{ $command }
tune-nothing-stays = --keep-best 要保留的改动未能全部留下，因此一项也没有保留：{ $reason }
tune-another-default = 调优方案写明调优参数“{ $name }”的原值（default）是 { $default }，但被测系统显示的是 { $has }。结束时会按 default 恢复成 { $default }，因此没有做任何设置。请把 default 改成被测系统现有的值，或先在被测系统上改好。
tune-changes-untold = 结果有效，但无法逐行列出改动：{ $reason }
tune-both = { $first }
    { $rest }
tune-file-not-as-left = { $path } 已不是本次调优最后写入或读到的内容：{ $what ->
        [gone] 文件不见了
        [link] 现在是一个符号链接
        [no_file] 现在不是普通文件
       *[changed] 被别人改过
    }。不会向那里写入任何内容，调优就此结束。
tune-file-not-back = { $path } 没有恢复：它现在{ $what ->
        [link] 是一个符号链接
       *[no_file] 不是普通文件
    }。没有向那里以及它指向的位置写入任何内容。原文件是 { $original }。请移走现在的内容，再执行：plimsoll tune --restore
tune-file-another-folder = { $path } 既没有改动也没有恢复：它所在的目录已不是调优开始时的那个（现在是 { $now }）。原文件在当时的目录里，名为 { $original }。请把那个目录放回原处，再执行：plimsoll tune --restore
tune-file-folder-gone = { $path } 所在的目录不见了，因此那里没有改动或恢复任何内容。如果目录只是被移走，其中的文件仍是调优留下的样子，原文件就在旁边，名为 { $original }。
tune-file-never = { $path } 现在位于调优方案规定绝不改动的位置：{ $never }。不会向那里写入任何内容，调优就此结束。
tune-original-changed = { $path } 的原文件 { $original } 被别人删除、替换或改动，调优就此结束。
tune-original-lost = { $path } 没有恢复：原文件 { $original } 已丢失或被别人改动，调优也没有留下副本。请手动把文件改回原样，再执行：plimsoll tune --restore
tune-original-mended = { $path } 已用调优保留的副本恢复原样：原文件 { $original } 已丢失或被别人改动。
tune-others-kept = 调优开始之后，有人改动了 { $path } 或它的原文件。现已恢复原文件；对方的版本保存为 { $other }。
tune-ready-before-start = 组件“{ $name }”在启动之前就已在 { $ready } 就绪：那里是别的进程{ $known ->
    [no] { "" }
   *[yes] （进程 { $pid }：{ $command }）
}。请停掉它，或把 start 换成 running: true 和 reload: 命令。
tune-ready-before-start-command = 启动命令还没有执行，被测系统就已在 { $ready } 运行{ $known ->
    [no] { "" }
   *[yes] （进程 { $pid }：{ $command }）
}。使用 --start 时由Plimsoll自己启动和停止被测系统，每次试验都重新启动：请停掉那里的进程，再执行一次本命令。如果它必须一直运行，请改写一个调优方案，在组件中写 running: true 和 reload: 命令（docs/tune.zh-CN.md）。
tune-cannot-stop = 组件“{ $name }”停不下来
tune-busy = 该调优方案正在另一个进程中进行，占用着 { $path }
tune-unknown-family = 没有名为“{ $name }”的参数或类别。现有：{ $known }
tune-start-where = 无从知道被测系统何时就绪：“{ $target }”不是带端口的主机
    .remedy = 在测试计划中写明地址，或写一个带 ready 的调优方案。
tune-nothing-to-resume = 没有可以继续的内容：{ $begun ->
    [no] 在该运行目录（--out）中没有开始过名为“{ $name }”的调优
   *[yes] 调优方案“{ $name }”（包括 --objective、--measure、--warm-up、--seed、--from）、测试计划、其数据文件或要修改的文件与当时不同（--keep-best 也会改动文件）
}。请去掉 --resume。
tune-study-gone = 由命令设置的值没有恢复：调优方案已经无法读取{ $any ->
    [no] { "" }
   *[yes] ：{ $reason }
}
tune-knob-not-back = 调优参数“{ $name }”的原值是{ $was }，没有恢复：已经没有调优方案说明如何设置。请按原样写回调优方案，再执行 plimsoll tune --restore，或手动设置。
tune-component-not-back = 组件“{ $name }”没有重新读取配置：已经没有调优方案说明如何操作。请按原样写回调优方案，再执行 plimsoll tune --restore，或手动重新加载。
tune-approve = 进行这一改动吗？（y/n）
tune-approve-nobody = --approve 需要有人确认，而标准输入不是终端，无人能确认。请在终端中运行，或去掉 --approve。
tune-url-without-start = { $url } 是地址，不是调优方案。加上 --start '命令'，Plimsoll就会自己启动被测系统并尝试诊断结果的建议；否则请编写调优方案，把该地址写作 plan（docs/tune.zh-CN.md）。
tune-now-kept = 保留的改动现已生效（限于文件、数据库和内核中的设置）。--restore 不会撤销它们：要撤销，请改回以“-”开头的各行。
tune-now-restored-start = 一切已恢复原样。要采用保留的改动，请把上面的参数和环境变量写进您自己的启动命令。
tune-now-restored = 一切已恢复原样。要让改动留在原处，请使用 --keep-best，或自行修改。
tune-trial = 第{ $number }/{ $of }次试验：{ $what } → { $result }（最优 { $best }，最多还需{ $left }分钟）
tune-trial-what = { $why }{ $tried }
tune-why-baseline = 基线（未改动）
tune-why-incumbent = 再测当前最优：
tune-why-advice = 诊断结果 { $finding } 建议：
tune-why-search = 搜索：
tune-why-final = 最终对比：
tune-why-put-back = 还原 { $knob }：
tune-measured = { $value }
tune-measured-generator = { $value }，瓶颈是压力机
tune-measured-unsteady = { $value }，未达到稳态
tune-measured-cut = { $value }，提前结束
tune-measured-broken = { $value }，不满足约束：{ $broken }
tune-void = 作废：{ $knob } 应为 { $wanted }，但被测系统{ $seen ->
    [no] 没有显示该值
   *[yes] 实际为 { $has }
}
tune-does-not-start = 启动失败{ $any ->
    [no] { "" }
   *[yes] ：{ $detail }
}
tune-hangs-in-start = 未能按时就绪{ $any ->
    [no] { "" }
   *[yes] ：{ $detail }
}
tune-died = 在负载下退出{ $any ->
    [no] { "" }
   *[yes] ：{ $detail }
}
tune-no-success = 没有一个请求成功（运行 { $detail }）
tune-command-failed = 命令失败：{ $detail }
tune-not-approved = 未获同意
tune-interrupted = 被中断

## 结果

tune-kept = 更好：采用 { $values } 后，{ $metric }变化 { $share }（{ $confidence } %置信区间 { $interval }，{ $pairs } 对）
tune-kept-to-meet = 保留：{ $values } 满足了未改动的被测系统违反的约束（{ $metric }：{ $share }，{ $confidence } %置信区间 { $interval }，{ $pairs } 对）
tune-better-breaks = 采用 { $values } 后，{ $metric }变化 { $share }（{ $confidence } %置信区间 { $interval }，{ $pairs } 对），但超过五分之一的运行违反了约束，或再次运行时无法测量。不保留任何改动。
tune-effect-of = 以上是用 { $values } 测得的。之后还原的改动各有单独的检验；没有剩余试验来单独测量其余改动。
tune-not-shown = 未能证明有提升：采用 { $values } 后，{ $metric }变化 { $share }（{ $confidence } %置信区间 { $interval }，{ $pairs } 对），可能只是偶然。不保留任何改动。
tune-died-at-the-end = 无法做出判断：最终对比完成 { $made } 对后，{ $any ->
    [no] 基线（未改动）
   *[yes] 采用 { $values } 的被测系统
}再也无法测量（{ $what }）。不保留任何改动。
tune-note = { $kind ->
    [generator_limited] 用于判断的 { $after } 次运行中，有 { $before } 次的瓶颈是压力机：这些结果不足以说明被测系统。请释放压力机资源，或用多台压力机加压，然后重新调优。
    [falls] 注意：运行期间吞吐量下降：后半段为前半段的 { $after } %，原来是 { $before } %。测得的效果可能不持久：请延长测量时间。
    [mix] 注意：各标签的样本比例变了：{ $text }。总体数字会随之改变；请按标签设定性能目标。
    [p99] 注意：p99从 { $before } ms升到 { $after } ms。
    [memory] 注意：内存从 { $before } MiB升到 { $after } MiB。
    [responses] 注意：平均每个响应 { $after } 字节，原来是 { $before } 字节。只因返回内容变少也会变快：请查看被测系统返回了什么；在测试计划中写 check 可保证响应正确。
    [status] 注意：多数响应的状态码变了：{ $text }。请查看被测系统返回了什么；在测试计划中写 check 可保证响应正确。
    [errors] 注意：失败的样本占 { $after } %，原来是 { $before } %。
    [sent_again] 注意：有请求因连接被关闭而重发：占样本的 { $after } %，原来是 { $before } %。
    [baseline_moved] 注意：基线（未改动）前后不一致：开始时 { $before }，最终对比时 { $after }。试验留下的内容或期间的其他变化影响了这些数字。如果是试验留下了数据，用 reset 恢复即可。
    [warm_up_short] 注意：预热只有 { $before } 秒，无法判断被测系统是否已稳定：至少要 { $after } 秒（warm-up）。边运行边编译的运行时和缓存需要更久。
    [broken] 注意：采用它的 { $after } 次运行中有 { $before } 次不满足约束：{ $text }
    [not_confirmed] 注意：下列参数已写入，但没有途径确认被测系统已采用：{ $text }
    [rare] 注意：保留的配置共测了 { $before } 次。若某种问题只在不到 { $after } % 的启动中出现，可能尚未遇到（95 %置信度）。
   *[other] 注意：{ $kind } { $text }
}
tune-not-better = 没有找到更好的配置：采用 { $values } 后，{ $metric }变化 { $share }（{ $confidence } %置信区间 { $interval }，{ $pairs } 对）。不保留任何改动。
tune-not-judged = 无法做出判断：预算{ $made ->
        [0] 不够完成一对运行
       *[other] 只够完成 { $made } 对运行
    }。按已观测到的噪声和每次试验的时长，要看出 { $gain } % 的提升需要 { $pairs } 对：共约 { $trials } 次试验、{ $minutes } 分钟（--trials、--time）
tune-nothing-better = 试过的配置中没有比基线（未改动）更好的
tune-nothing-tried = 没有可试的改动：没有诊断结果建议这些参数，也没有其他可试的值（取值范围和关系可能没有留下余地）。不写调优方案时只试诊断结果的建议；加上 --watch-allow-capture，诊断能看到更多
tune-none-measured = { $refused ->
    [yes] 没有任何改动获得同意，因此无从比较
   *[no] 无从比较：改动参数的 { $count } 次试验都无法测量。最后一次：{ $last }
}
tune-metric = { $name ->
    [throughput] 吞吐量
    [mean] 平均响应时间
    [memory] 内存
    [capacity] 容量
    [sum] 优化指标
   *[other] { $name }
}
tune-no-baseline = 未改动的被测系统无法测量{ $any ->
        [no] { "" }
       *[yes] ：{ $what }
    }。{ $mute ->
        [yes] 请按调优方案手动启动被测系统，用测试计划加压（plimsoll run PLAN）并查看错误；成功后再重新调优。
       *[no] 请按调优方案手动启动被测系统，并运行测试计划（plimsoll run PLAN）；成功后再重新调优。
    }
tune-rate-decides = 吞吐量由测试计划的到达率决定（{ $load }）：被测系统只要跟得上，吞吐量就不会再提高。请改用 maximise capacity 或 minimise p99，或用 users 加压。
tune-no-capacity = 未改动的被测系统在约束下不能承受任何负载：试过的最小负载就不满足 { $broken }，因此没有可以比较的基准。请放宽这条约束，使被测系统至少在某个负载下满足它；或者先按别的优化指标调优（例如去掉该约束，写 objective: minimise p99），用上保留的改动，再回来求容量。
tune-was-interrupted = 已中断；一切恢复原样。用 --resume 继续。目前最优：{ $any ->
    [no] 基线（未改动）
   *[yes] { $values }
}
tune-knob-kept = { $knob }={ $value } 必需：它使{ $metric }变化 { $share }（{ $interval }）
tune-knob-needed = { $knob }={ $value } 必需：没有它就会违反约束，或无法测量
tune-knob-untested = { $knob }={ $value } 保留，未单独检验：已没有剩余试验。用 --resume 并加大 --trials 可补做
tune-knob-put-back = { $knob }={ $value } 已还原：未能证明它有提升（{ $share }，{ $interval }）
tune-limits = { $healthy ->
    [1] 现在时间花在这里，这是正常的：{ $title }
   *[other] 现在的瓶颈：{ $title }
}
tune-changes = 改动：
tune-spent = 共{ $count }次试验，用时{ $minutes }分钟
tune-given-up = { $knob }={ $value } 牺牲了{ $what }
tune-limits-unknown = 现在的瓶颈未知：所监控的内容没有指出它。增加数据源（watch、--watch）或允许采样快照（--watch-allow-capture）能看到更多。
tune-knobs-of-family = plimsoll tune --knobs 类别名 列出每个参数写在哪里、如何回读及其来源
tune-before = 之前
tune-after = 之后
tune-candidate = 未保留的候选配置
tune-change = 变化
tune-throughput = 吞吐量 (/s)
tune-mean = 平均响应时间 (ms)
tune-p99 = p99 (ms)
tune-errors = 错误率 (%)
tune-memory = 内存 (MiB)

## 恢复

tune-restored = { $name }：{ $count ->
    [0] 没有需要恢复的文件
   *[other] 已恢复 { $files }
}{ $processes ->
    [1] ；已结束调优留下的进程
   *[other] { "" }
}
tune-nothing-to-restore = 这里没有需要恢复的内容。给出调优方案（plimsoll tune 方案 --restore）时，还会检查其文件旁边是否留有原文件。

## 预演

tune-plan-agent = { "  " }由Agent { $agent } 按它自己的文件改动
tune-plan-component = 组件 { $name }：
tune-plan-reset = 每次试验加压前：
tune-plan-advice-only = 以下设置中，只改动诊断所建议的，且在这些范围之内（程序没有的设置不会被建议）：
tune-plan-knob = 调优参数 { $name }：
tune-plan-present = { "  " }{ $value }（现在的值，不改动）
tune-plan-of = { $kind ->
    [start] { $name }：启动命令
    [environment] { $name }：环境变量
   *[commands] { $name }：执行的命令
}
tune-plan-added = { "  " }（文件中还没有，将新增）

## 调优方案的键

plan-object-study = 调优方案
plan-object-study-component = 组件
plan-object-agent-scope = Agent的文件
plan-object-study-knob = 调优参数
plan-object-read-back = 回读方式
plan-object-read-back-http = 回读方式
plan-object-read-back-command = 回读方式
plan-object-read-back-sql = 回读方式
plan-object-read-back-nothing = 回读方式
plan-kind-objective = 要改善的内容：maximise throughput、maximise capacity、minimise p99（或p50、p90、p95、p99.9）、minimise mean、minimise memory，或带权重的和，例如 maximise throughput * 1 - p99 * 0.5
plan-doc-study-name = 调优方案的名称；默认为文件名。
plan-doc-study-plan = 测试计划（相对于方案所在目录）或URL。
plan-doc-study-objective = 要改善的内容。
plan-doc-study-constraints = 配置必须满足才会保留的性能目标。
plan-doc-study-most-memory = 由Plimsoll启动的所有组件合计的常驻内存上限。
plan-doc-study-most-cpu = 测量期间由Plimsoll启动的所有组件合计占用的CPU上限，以CPU个数计：1.5即一个半。
plan-doc-study-components = 被测系统的组成，按名称，按启动顺序。
plan-doc-study-knobs = 可以改动的内容，按名称。
plan-doc-study-relations = 调优参数之间必须满足的关系，例如 pool <= threads - 10。
plan-doc-study-allow = 为了速度可以放弃的内容，写调优参数的名称。
plan-doc-study-never = 绝不改动的文件、目录、键和调优参数。
plan-doc-study-reset = 重置数据的命令：每次试验中被测系统就绪后、加压前执行。
plan-doc-study-search = 在诊断结果的建议之后如何搜索。
plan-doc-study-users = 每次运行的用户数，代替测试计划中的。
plan-doc-study-measure = 每次运行测量多久；求容量时为每级的时长，不写时为5 s。
plan-doc-study-warm-up = 每次运行前最多等待多久达到稳态。
plan-doc-study-trials = 试验次数上限。
plan-doc-study-time = 时间上限。
plan-doc-study-error-rate = 整个方案的误判率：没有任何改动真正有效时，误留改动的概率。
plan-doc-study-smallest-gain = 更小的提升无关紧要。
plan-doc-study-seed = 搜索的随机数种子。
plan-doc-component-start = 由Plimsoll执行的启动命令；留在前台，或启动守护进程后退出。不经过shell。
plan-doc-component-systemd = 由systemd运行时的单元。
plan-doc-component-compose = 由Docker Compose运行时的服务。
plan-doc-component-agent = 其主机上按自己的文件改动它的Agent：tls://HOST:PORT,fingerprint=…,token-file=…。
plan-doc-agent-scope-lease = 最后一次收到调优方案的消息之后多久恢复一切。
plan-doc-component-running = 已在运行，只重新加载。
plan-doc-component-compose-file = Docker Compose的文件。
plan-doc-component-folder = 工作目录，相对于方案所在目录。
plan-doc-component-environment = 在现有环境变量之外的环境变量。
plan-doc-component-stop = 停止它的命令；默认用信号。仅与 start 一起使用。
plan-doc-component-reload = 让它重新读取配置的命令。
plan-doc-component-ready = 何时就绪：http地址、主机:端口，或就绪时成功的命令。
plan-doc-component-ready-within = 最多等多久就绪。
plan-doc-component-stop-within = 最多等多久停止，之后强制停止。
plan-doc-component-watch = 用来回读其设置、并在加压时监控的数据源，例如 actuator=http://127.0.0.1:8081 或 mysql=127.0.0.1:3306,user=app。
plan-doc-component-database = 在哪里执行语句：mysql://127.0.0.1:3306,user=tuner,password-env=PW，或 postgresql://…。
plan-doc-knob-knob = plimsoll tune --knobs 列出的调优参数之一；默认取同名的参数。
plan-doc-knob-key = 它在文件中的键。
plan-doc-knob-argument = 启动命令的参数，值的位置写 {"{}"}，例如 -Xmx{"{}"}m。
plan-doc-knob-env = 组件的环境变量。
plan-doc-knob-command = 设置它的命令，值的位置写 {"{}"}。
plan-doc-knob-sql = 在组件的数据库中设置它的语句，值的位置写 {"{}"}，例如 SET GLOBAL innodb_io_capacity = {"{}"}。
plan-doc-knob-of = 有多个组件时，它所属的组件。
plan-doc-knob-file = 它所在的文件，相对于方案所在目录。
plan-doc-knob-format = 文件的格式（从文件名看不出时）。
plan-doc-knob-range = 数值的范围，例如 8..200。
plan-doc-knob-step = 范围内的步长。
plan-doc-knob-unit = 数值后面的单位，例如 m。
plan-doc-knob-by-ratio = 按比例取值，适合数量和大小。
plan-doc-knob-values = 可选的值。
plan-doc-knob-default = 它现在的值（无法读取时）。
plan-doc-knob-only-if = 满足什么条件时它才有意义，例如 collector = g1。
plan-doc-knob-by-reload = 重新加载组件即可生效。
plan-doc-knob-read-back = 如何从运行中的被测系统回读它的值。
plan-doc-read-back-http = 能显示它的http地址。
plan-doc-read-back-pointer = 它在JSON中的位置（JSON Pointer）；不写则为整个响应体。
plan-doc-read-back-command = 能打印它的命令。
plan-doc-read-back-sql = 第一行最后一列就是该值的查询，例如 SELECT @@innodb_io_capacity。
plan-doc-read-back-nothing = 没有任何途径能显示它。

## 调优报告

tune-story-title = 调优：{ $name }
tune-story-before-after = 调优前后
tune-story-figure = 指标
tune-story-runs = { $kept ->
    [yes] 最终对比各次运行的平均值：调优前{ $before }次，调优后{ $after }次。
   *[no] 平均值：基线（未改动）{ $before }次运行，候选配置{ $after }次运行；候选配置未保留。
}
tune-story-kept = 每项改动带来的效果
tune-story-knob = 参数
tune-story-found = 原值
tune-story-value = 新值
tune-story-alone = 效果
tune-story-interval = 置信区间
tune-story-verdict = 结论
tune-story-needed = ✓ 保留
tune-story-untested = ○ 保留，未单独检验
tune-story-untested-note = ○：只把全部改动一起与未改动的被测系统做了比较。没有剩余的试验来单独还原这一项，或者另一项改动依赖它，或者只证明了它们一起带来提升。
tune-story-put-back = 已还原
tune-story-alone-note = 其他改动不变时，有这项改动比没有它好多少，由新的成对运行测得。未能证明有效果的改动会被还原。
tune-story-changes = 改动内容
tune-story-limits = 现在的瓶颈
tune-story-way = 寻优过程
tune-story-each-trial = 每次试验
tune-story-best-so-far = 当前最优的平均值
tune-story-number = 试验
tune-story-effects = 各参数的影响
tune-story-level = 取值
tune-story-count = 试验次数
tune-story-effect = 影响
tune-story-less = 小于原值
tune-story-more = 大于原值
tune-story-changed = 任意取值
tune-story-effects-note = 基于全部已测试验，扣除其他参数的影响（加性模型，各区间合在一起的置信度为95 %）；总与其他参数一起改动而无法区分，或试验说明不了什么的，记为短横。此表只描述试验，是否保留由各自的成对运行决定。
tune-story-effects-matched = 这些参数相互影响，各自的作用不能相加（失拟F检验，5 %）。因此每行只比较其他取值完全相同的试验（均值及区间，各区间合在一起的置信度为95 %）；没有这样的试验，或它们说明不了什么时，记为短横。此表只描述试验，是否保留由各自的成对运行决定。
tune-story-unmeasured = 作废与失败的试验
tune-story-trials = 全部试验
tune-story-tried = 尝试的取值
tune-story-result = 结果
tune-story-why = 原因
tune-story-read-back = 回读
tune-story-seconds = 用时（秒）
tune-story-void = 作废
tune-story-not-confirmed = { $knob }：已写入，未能确认
tune-story-facts = 调优方案
tune-story-plan = 测试计划
tune-story-load = 每次运行的负载
tune-story-objective = 优化指标
tune-story-error-rate = 整个调优的误判率
tune-story-smallest-gain = 有意义的最小提升
tune-story-noise = 单次运行的噪声
tune-story-seed = 随机数种子
tune-story-took = 用时
tune-story-knobs = 各参数原值
tune-does-not-start-short = 启动失败
tune-hangs-in-start-short = 未能按时就绪
tune-died-short = 在负载下退出
tune-no-success-short = 没有一个请求成功
tune-command-failed-short = 命令失败
tune-shown-unreadable = { $path } 不是 plimsoll tune 的结果：{ $reason }
tune-earlier-other-objective = 以前的调优优化的是别的指标：是“{ $earlier }”，而不是“{ $objective }”。请去掉 --from。
tune-earlier-without-baseline = 以前的调优没有基线（未改动）的测量可用于本方案的参数。请去掉 --from。
tune-too-few-trials = 试验只有 { $trials } 次，无法得出结论：仅最终对比就需要10次，之前要把未改动的被测系统测两次，还要有可试的配置。请至少给出 { $least } 次（trials: { $least }，或 --trials { $least }）；数据波动大时需要更多。
