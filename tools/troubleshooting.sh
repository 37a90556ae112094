#!/usr/bin/env bash
# Makes docs/troubleshooting.md and its Chinese form from the texts of the error kinds, so that
# they say what reports say: tools/troubleshooting.sh [--check]
# --check writes nothing; exit code 1 if a file is not up to date.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# table LANGUAGE: a section for each kind of error.
table() {
    awk -F ' = ' '
        /^error-kind-[a-z0-9-]*-meaning = / { meaning = substr($0, index($0, " = ") + 3); next }
        /^error-kind-[a-z0-9-]*-look = / {
            print "\n## " name " (`" id "`)\n\n" meaning "\n\n" substr($0, index($0, " = ") + 3); next
        }
        /^error-kind-[a-z0-9-]* = / {
            id = substr($1, length("error-kind-") + 1); gsub("-", "_", id); name = $2
        }
    ' "locales/$1/errors.ftl" | sed 's/{"{"}/{/g; s/{"}"}/}/g'
}

english() {
    cat <<'TEXT'
# Troubleshooting by kind of error

[中文](troubleshooting.zh-CN.md)

Every failed request has a kind of error. Reports show how often each kind came; the id in
brackets is the one of the summary JSON (`errors_by_kind`). The first paragraph says what it
means, the second where to look. `plimsoll once PLAN` shows a single request with its response.
TEXT
    table en
}

chinese() {
    cat <<'TEXT'
# 按错误类型排查

[English](troubleshooting.md)

每个失败的请求都有一个错误类型。报告列出各类型出现的次数；括号中是摘要 JSON（`errors_by_kind`）
里的标识。第一段说明含义，第二段说明去哪里查。`plimsoll once PLAN` 显示单个请求及其响应。
TEXT
    table zh
}

status=0
for entry in english:docs/troubleshooting.md chinese:docs/troubleshooting.zh-CN.md; do
    file="${entry#*:}"
    if [[ "${1:-}" != --check ]]; then
        "${entry%%:*}" >"$file"
    elif ! diff -u "$file" <("${entry%%:*}"); then
        echo "$file is not up to date: run tools/troubleshooting.sh" >&2
        status=1
    fi
done
exit $status
