#!/usr/bin/env bash
# Lays out what an image holds: deploy/static.sh FOLDER [PROFILE]
#   FOLDER/image  one static binary and the certificates to trust
#   FOLDER/own    folders that its user may write
# PROFILE is cargo's: release by default, dev for a quick build.
set -euo pipefail
to="$(realpath -m "$1")" profile="${2:-release}"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
host="$(rustc -vV | sed -n 's/^host: //p')"
# The C library is linked in. glibc is enough: since 2.34 it resolves names without plug-ins.
# A --target of its own keeps the flags away from build scripts and macros, which cannot be static.
RUSTFLAGS="-C target-feature=+crt-static" \
    cargo build --locked -p plimsoll-cli --profile "$profile" --target "$host"
made="${CARGO_TARGET_DIR:-target}/$host/${profile/#dev/debug}/plimsoll"
mkdir -p "$to/image/etc/ssl/certs" "$to/own/work" "$to/own/tmp"
cp "$made" "$to/image/plimsoll"
cp /etc/ssl/certs/ca-certificates.crt "$to/image/etc/ssl/certs/"
