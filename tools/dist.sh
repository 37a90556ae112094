#!/usr/bin/env bash
# Builds and packs what is handed out: tools/dist.sh [FOLDER] [TARGET…]
# FOLDER is target/dist by default. DIST_PROFILE is cargo's: release by default, dev for a quick trial.
# TARGETs are rustup's, by default the static ones for x86_64 and aarch64, as far as the toolchain has them
# here; what it has not is named. Two builds of one commit give the same bytes,
# wherever they are made: paths are cut, times are the commit's. Exit code: 0 packages for this machine's
# processor are made, 1 they are not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
to="$(realpath -m "${1:-target/dist}")"
shift || true
targets=("$@")
own="$(uname -m)-unknown-linux-musl"
profile="${DIST_PROFILE:-release}"
((${#targets[@]} > 0)) || targets=("$own" aarch64-unknown-linux-musl)
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
PLIMSOLL_COMMIT="${PLIMSOLL_COMMIT-$(tools/commit.sh)}"
export SOURCE_DATE_EPOCH PLIMSOLL_COMMIT

# Why a target cannot be built here; nothing if it can.
lacks() {
    rustc --print sysroot --target "$1" >/dev/null 2>&1 || { echo "the compiler does not know it"; return; }
    ! command -v rustup >/dev/null || rustup target add "$1" >/dev/null 2>&1 || true
    [[ -d "$(rustc --print sysroot)/lib/rustlib/$1" ]] || { echo "no standard library: rustup target add $1"; return; }
    local compiler="${1%%-*}-linux-musl-gcc"
    [[ "$1" != "$own" ]] || compiler=musl-gcc
    command -v "$compiler" >/dev/null || echo "no C compiler $compiler (Debian: musl-tools)"
}

build() {
    local target="$1" home rust
    home="${CARGO_HOME:-$HOME/.cargo}"
    rust="$(rustc --print sysroot)"
    local under="${target//-/_}"
    # Paths of this machine are in no message: neither Rust's nor C's.
    local maps="--remap-path-prefix=$PWD=. --remap-path-prefix=$home=cargo --remap-path-prefix=$rust=rust"
    # What is compiled by parts (the profile dev) names them differently each time.
    CARGO_INCREMENTAL=0 RUSTFLAGS="$maps -C target-feature=+crt-static" \
        env "CFLAGS_$under=-ffile-prefix-map=$PWD=. -ffile-prefix-map=$home=cargo" \
        cargo build --profile "$profile" --locked -p plimsoll-cli --target "$target"
}

# The workbench's pages go into the binary.
if command -v npm >/dev/null; then
    make web
else
    echo "note: without the workbench's pages: npm is not here (apt-get install nodejs npm)"
fi

deploy/packages/companion.sh "$to"
made=false
for target in "${targets[@]}"; do
    why="$(lacks "$target")"
    if [[ -n "$why" ]]; then
        echo "not made: $target ($why)"
        continue
    fi
    build "$target"
    deploy/packages/build.sh "${CARGO_TARGET_DIR:-target}/$target/${profile/#dev/debug}/plimsoll" "$target" "$to"
    [[ "$target" != "$own" ]] || made=true
done
$made
