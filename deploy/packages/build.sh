#!/usr/bin/env bash
# Packs a binary: deploy/packages/build.sh BINARY TARGET FOLDER
#   FOLDER/plimsoll-VERSION-ARCH-linux.tar.gz, plimsoll_VERSION_ARCH.deb, plimsoll-VERSION-1.ARCH.rpm, the
#   bill of materials, all licences, and SHA256SUMS of them
# The same binary and SOURCE_DATE_EPOCH (by default the commit's time) give the same bytes. The binary is
# asked for its completions and manual pages: PLIMSOLL names another one that runs here, where BINARY is for
# another processor. What there is no tool for is said, and left out. Exit code: 0 all that could be made is
# made, 1 something failed.
set -euo pipefail
binary="$(realpath "$1")" target="$2" to="$(realpath -m "$3")"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
asked="${PLIMSOLL:-$binary}"
# shellcheck source=pack.sh
. "$here/pack.sh"
version="$(version_of "$root")"
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
export TZ=UTC LC_ALL=C
arch="${target%%-*}"
case "$arch" in
x86_64) deb_arch=amd64 ;;
aarch64) deb_arch=arm64 ;;
*) echo "deploy/packages/build.sh: no package is made for '$arch'" >&2 && exit 1 ;;
esac
umask 022
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
mkdir -p "$to"

# What all packages hold, as it lies on a host.
lay_out() {
    local tree="$1" doc="$1/usr/share/doc/plimsoll" file language folder
    install -D -m 755 "$binary" "$tree/usr/bin/plimsoll"
    for file in worker agent serve; do
        install -D -m 644 "$here/plimsoll-$file.service" "$tree/usr/lib/systemd/system/plimsoll-$file.service"
        install -D -m 640 "$here/$file.env" "$tree/etc/plimsoll/$file.env"
    done
    install -D -m 644 "$here/sysusers.conf" "$tree/usr/lib/sysusers.d/plimsoll.conf"
    mkdir -p "$tree/usr/share/bash-completion/completions" "$tree/usr/share/zsh/site-functions" \
        "$tree/usr/share/fish/vendor_completions.d" "$doc"
    "$asked" completions bash >"$tree/usr/share/bash-completion/completions/plimsoll"
    "$asked" completions zsh >"$tree/usr/share/zsh/site-functions/_plimsoll"
    "$asked" completions fish >"$tree/usr/share/fish/vendor_completions.d/plimsoll.fish"
    for language in en zh; do
        folder="$tree/usr/share/man/man1"
        [[ "$language" == en ]] || folder="$tree/usr/share/man/zh_CN/man1"
        "$asked" man -o "$folder" --lang "$language" >/dev/null
        gzip -9n "$folder"/*.1
    done
    cp "$root/README.md" "$root/README.zh-CN.md" "$root/CHANGELOG.md" "$doc/"
    cp -r "$root/examples" "$doc/examples"
    # What the README leads to.
    mkdir -p "$doc/docs/images" "$doc/deploy/packages"
    cp "$root"/docs/*.md "$doc/docs/"
    cp "$root"/docs/images/report*.png "$doc/docs/images/"
    cp "$here"/README*.md "$doc/deploy/packages/"
    cp "$work/bill/sbom.cdx.json" "$doc/"
    gzip -9n <"$work/bill/THIRD-PARTY-LICENSES.txt" >"$doc/THIRD-PARTY-LICENSES.txt.gz"
    cp "$root/LICENSE" "$doc/copyright"
    find "$tree" -type d -exec chmod 755 {} +
    find "$doc" -type f -exec chmod 644 {} +
    stamp "$tree"
}

archive() {
    local name="plimsoll-$version-$arch-linux"
    mkdir -p "$work/tar"
    cp -a "$work/tree" "$work/tar/$name"
    stamp "$work/tar"
    tarball "$work/tar" "$name" "$to/$name.tar.gz"
}

debian() {
    local tree="$work/deb" size
    cp -a "$work/tree" "$tree"
    mkdir -p "$tree/usr/share/zsh/vendor-completions" "$tree/DEBIAN"
    mv "$tree/usr/share/zsh/site-functions/_plimsoll" "$tree/usr/share/zsh/vendor-completions/"
    rmdir "$tree/usr/share/zsh/site-functions"
    size="$(installed_size "$tree")"
    cat >"$tree/DEBIAN/control" <<CONTROL
Package: plimsoll
Version: $version
Architecture: $deb_arch
Maintainer: The Plimsoll maintainers <maintainers@plimsoll.invalid>
Installed-Size: $size
Depends: passwd
Recommends: ca-certificates
Suggests: default-jre-headless
Section: net
Priority: optional
Homepage: https://github.com/plimsoll/plimsoll
Description: load testing that measures truthfully and names the bottleneck
 Plimsoll loads a web service, measures it truthfully, watches it meanwhile, and
 names the bottleneck and what removes it. JMeter plans run as they are.
CONTROL
    printf '/etc/plimsoll/%s.env\n' agent serve worker >"$tree/DEBIAN/conffiles"
    install -m 755 "$here"/deb/* "$tree/DEBIAN/"
    deb "$tree" xz "$to/plimsoll_${version}_$deb_arch.deb"
}

redhat() {
    mkdir -p "$work/tree/var/lib/plimsoll"
    touch --date="@$SOURCE_DATE_EPOCH" "$work/tree/var" "$work/tree/var/lib" "$work/tree/var/lib/plimsoll"
    rpm_of "$here/plimsoll.spec" "$version" "$arch" "$work/tree" "$to"
}

python3 "$here/bill.py" "$target" "$work/bill"
lay_out "$work/tree"
archive
if command -v dpkg-deb >/dev/null; then debian; else echo "left out: the .deb (no dpkg-deb)"; fi
if command -v rpmbuild >/dev/null; then redhat; else echo "left out: the .rpm (no rpmbuild)"; fi
cp "$work"/bill/* "$to/"
find "$to" -maxdepth 1 -type f ! -name SHA256SUMS -exec touch --date="@$SOURCE_DATE_EPOCH" {} +
(cd "$to" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
cat "$to/SHA256SUMS"
