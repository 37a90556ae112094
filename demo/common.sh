# What the demos share; sourced by them from the project's folder.
# Sets plimsoll (the binary) and lang, by the rule that plimsoll follows.
# shellcheck shell=bash
# shellcheck disable=SC1111 # Chinese texts have Chinese quotes
# shellcheck disable=SC2034 # used by those that source it
plimsoll="${PLIMSOLL:-target/release/plimsoll}"
case "${LC_ALL:-${LC_MESSAGES:-${LANG:-}}}" in
zh*) lang=zh ;;
*) lang=en ;;
esac

# Says the English or the Chinese text.
say() {
    if [[ $lang == zh ]]; then printf '%s\n' "$2"; else printf '%s\n' "$1"; fi
}

# Ends with the reason where the binary is missing.
need_plimsoll() {
    [[ -x $plimsoll ]] && return
    say "$plimsoll is missing: run \`make build\` first." "缺少 $plimsoll：请先运行 \`make build\`。" >&2
    exit 1
}
