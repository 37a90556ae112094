#!/usr/bin/env bash
# Packs the JVM companion: deploy/packages/companion.sh FOLDER
#   FOLDER/plimsoll-companion-VERSION.tar.gz, plimsoll-companion_VERSION_all.deb,
#   plimsoll-companion-VERSION-1.noarch.rpm, its bill of materials and licences
# The same commit and jars give the same bytes. What there is no tool for is said, and left out. Exit code: 0 all that
# could be made is made, 1 something failed.
set -euo pipefail
to="$(realpath -m "$1")"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
# shellcheck source=pack.sh
. "$here/pack.sh"
version="$(version_of "$root")"
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
export TZ=UTC LC_ALL=C
umask 022
if ! command -v mvn >/dev/null || ! command -v javac >/dev/null; then
    echo "left out: the companion (no Maven or no JDK: tools/setup.sh lab)"
    exit 0
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tree="$work/tree"
doc="$tree/usr/share/doc/plimsoll-companion"
mkdir -p "$to" "$doc" "$tree/usr/lib/plimsoll"

"$root/companion/build.sh" "$tree/usr/lib/plimsoll/companion" >/dev/null
# Holds for the JVM of this machine alone.
rm -f "$tree/usr/lib/plimsoll/companion/companion.jsa"
python3 "$here/companion_bill.py" "$tree/usr/lib/plimsoll/companion/lib" "$work/bill"
cp "$work/bill/companion-sbom.cdx.json" "$doc/"
gzip -9n <"$work/bill/COMPANION-LICENSES.txt" >"$doc/COMPANION-LICENSES.txt.gz"
cp "$root/LICENSE" "$doc/copyright"
find "$tree" -type d -exec chmod 755 {} +
find "$tree" -type f -exec chmod 644 {} +
stamp "$tree"
tarball "$tree" usr "$to/plimsoll-companion-$version.tar.gz"

debian() {
    local size
    cp -a "$tree" "$work/deb"
    mkdir -p "$work/deb/DEBIAN"
    size="$(installed_size "$work/deb")"
    cat >"$work/deb/DEBIAN/control" <<CONTROL
Package: plimsoll-companion
Version: $version
Architecture: all
Maintainer: The Plimsoll maintainers <maintainers@plimsoll.invalid>
Installed-Size: $size
Depends: java17-runtime-headless | openjdk-17-jre-headless
Enhances: plimsoll
Section: net
Priority: optional
Homepage: https://github.com/plimsoll/plimsoll
Description: what runs Groovy and other Java parts of JMeter plans for Plimsoll
 JMeter's own libraries and a small JVM program beside Plimsoll: scripts in
 Groovy, BeanShell and JEXL, and elements of plugins that Plimsoll does not make.
CONTROL
    deb "$work/deb" gzip "$to/plimsoll-companion_${version}_all.deb"
}

if command -v dpkg-deb >/dev/null; then debian; else echo "left out: the companion's .deb (no dpkg-deb)"; fi
if command -v rpmbuild >/dev/null; then
    rpm_of "$here/plimsoll-companion.spec" "$version" noarch "$tree" "$to"
else
    echo "left out: the companion's .rpm (no rpmbuild)"
fi
cp "$work"/bill/* "$to/"
