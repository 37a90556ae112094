#!/usr/bin/env bash
# Prints the commit that is checked out and its day, with a + if files were changed since; nothing outside of git.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
commit="$(git log -1 --format='%H %cs' 2>/dev/null)" || exit 0
[[ -z "$(git status --porcelain --untracked-files=no)" ]] || commit="${commit/ /+ }"
echo "$commit"
