#!/usr/bin/env bash
# The workbench beside a real Tomcat under load: demo/workbench.sh
#
# Starts the lab's shop, `plimsoll serve` over a folder of runs, and a run of three minutes that everybody who opens
# the printed address sees live: 230 customers for 200 worker threads (demo/shop.yaml). Ctrl-C ends the server, the
# run and the shop, by their process ids.
#
# environment: PLIMSOLL (the binary; default target/release/plimsoll), DEMO_OUT (folder of the runs; default
#   plimsoll-runs), DEMO_LISTEN (where the workbench listens; default 127.0.0.1:8089), DEMO_DURATION (3m)
# shellcheck disable=SC1111 # Chinese texts have Chinese quotes
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# shellcheck source=common.sh
. demo/common.sh
out="${DEMO_OUT:-plimsoll-runs}"
listen="${DEMO_LISTEN:-127.0.0.1:8089}"
service="workbench-$$"

children=()
stop_all() {
    ((${#children[@]} == 0)) || kill -INT "${children[@]}" 2>/dev/null
    wait
    lab/stop.sh "$service" >/dev/null
}
trap stop_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

need_plimsoll
values="$(lab/start.sh --name "$service")" || exit 1
URL="$(sed -n 's/^URL=//p' <<<"$values")"
management="$(sed -n 's/^MANAGEMENT_URL=//p' <<<"$values")"
export URL
mkdir -p "$out" || exit 1

"$plimsoll" serve --lang "$lang" --out "$out" --listen "$listen" &
server=$!
children+=("$server")
# It is there when it responds, or has ended with the reason.
until curl --noproxy '*' -fsS -o /dev/null "http://$listen/api/v1/meta" 2>/dev/null; do
    kill -0 "$server" 2>/dev/null || exit 1
    sleep 0.1
done
say "A run begins: 230 customers of a shop whose server has 200 worker threads. Open http://$listen/ and watch it; Ctrl-C ends all." \
    "现在开始一次运行：230 个用户访问一个商城，其服务端有 200 个工作线程。打开 http://$listen/ 实时查看；按 Ctrl-C 全部结束。"
"$plimsoll" run demo/shop.yaml --lang "$lang" --duration "${DEMO_DURATION:-3m}" --watch auto \
    --watch "actuator=$management/actuator" --watch-allow-capture --quiet --out "$out" &
children+=("$!")
wait "$!"
say "The run has ended. The workbench stays at http://$listen/ until Ctrl-C." \
    "运行已结束。工作台仍在 http://$listen/，按 Ctrl-C 结束。"
wait "$server"
