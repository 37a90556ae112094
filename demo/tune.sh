#!/usr/bin/env bash
# Three faults at once in a real Tomcat, found and mended by `plimsoll tune`: demo/tune.sh
#
# The lab's service is given too few worker threads, too few connections and DEBUG logging (demo/tune). Plimsoll
# starts it again and again with other settings, reads each back from the running process, measures, and keeps what
# helps by test. What it says in the end is compared with what was done here. The settings are brought back, byte
# for byte, and nothing goes on running, after Ctrl-C and after a failure, too.
#
# environment: PLIMSOLL (the binary; default target/release/plimsoll), DEMO_OUT (folder of the runs and of the
#   story; default plimsoll-runs/tune-demo-TIME), DEMO_TIME (the most time; default 16m)
# shellcheck disable=SC1111 # Chinese texts have Chinese quotes
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# shellcheck source=common.sh
. demo/common.sh
out="${DEMO_OUT:-plimsoll-runs/tune-demo-$(date +%Y%m%d-%H%M%S)}"
jar=lab/service/target/lab-service-tomcat.jar
work=""

# What a study that was killed has left is brought back, too.
leave_nothing() {
    [[ -n $work ]] || return
    "$plimsoll" tune --restore --out "$out" >/dev/null 2>&1
    rm -rf "$work"
}
trap leave_nothing EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

need_plimsoll
if [[ ! -f $jar ]]; then
    say "$jar is missing: run \`lab/start.sh --build-only\` first." "缺少 $jar：请先运行 \`lab/start.sh --build-only\`。" >&2
    exit 1
fi
plimsoll="$(realpath "$plimsoll")"
mkdir -p "$out" || exit 1
out="$(realpath "$out")"
work="$(mktemp -d)" || exit 1

# Two ports that are free now: both are held until both are known.
read -r port management < <(python3 - <<'PYTHON'
import socket

held = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(each.getsockname()[1] for each in held))
PYTHON
)
[[ -n $management ]] || exit 1
# A copy, since a jar must not change under a running JVM.
cp --reflink=auto "$jar" "$work/lab-service.jar" || exit 1
cp demo/tune/application.properties "$work/" || exit 1
sed "s/18080/$port/g; s/18081/$management/g" demo/tune/study.yaml >"$work/study.yaml" || exit 1
settings="$work/application.properties"
was() { sed -n "s/^$1=//p" "$settings"; }

say "
A service on Tomcat with three faults, of which plimsoll is told nothing:
  $(was server.tomcat.threads.max) worker threads, at most $(was server.tomcat.max-connections) connections, logging at $(was logging.level.root).
100 users call it. What may be changed stands in demo/tune/study.yaml; each trial starts the service anew.
It takes ${DEMO_TIME:-16m} at most.
" "
Tomcat 上的一个服务，带有三个问题（不会告诉 plimsoll）：
  工作线程 $(was server.tomcat.threads.max) 个，最多 $(was server.tomcat.max-connections) 个连接，日志级别 $(was logging.level.root)。
由 100 个用户调用。允许修改的内容写在 demo/tune/study.yaml 里；每次试验都重新启动该服务。
最多用时 ${DEMO_TIME:-16m}。
"

"$plimsoll" tune "$work/study.yaml" --lang "$lang" --time "${DEMO_TIME:-16m}" --out "$out" \
    --output "$out/tune.json" --report "$out/story.html"
code=$?
((code == 0)) || exit "$code"

failed=0
if cmp -s demo/tune/application.properties "$settings"; then
    say "
The settings are as they were, byte for byte." "
设置已逐字节恢复原样。"
else
    say "The settings are not as they were: $settings" "设置没有恢复原样：$settings" >&2
    failed=1
fi
if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
    say "Something still listens at port $port." "端口 $port 仍有进程监听。" >&2
    failed=1
fi

kept="$(python3 - "$out/tune.json" <<'PYTHON'
import json
import sys

kept = json.load(open(sys.argv[1], encoding="utf-8"))["kept"] or {}
print(" ".join(f"{name}={value}" for name, value in sorted(kept.items())))
PYTHON
)"
missing=()
for knob in tomcat.threads.max tomcat.max-connections logging.level; do
    [[ " $kept" == *" $knob="* ]] || missing+=("$knob")
done
if ((${#missing[@]} == 0)); then
    say "All three faults were found and mended: $kept." "三个问题都已找到并修正：$kept。"
else
    say "Of the three this was not kept: ${missing[*]}. Either its gain could not be told from noise on this
machine, or something else limits before it; what was measured stands in the story." "三个中没有保留：${missing[*]}。或者其收益在本机上无法与噪声区分，或者有别的因素先成为瓶颈；
测得的数据见报告。"
fi
say "The story: $out/story.html" "报告：$out/story.html"
exit "$failed"
