# What the packing scripts share; to be sourced. The same tree and SOURCE_DATE_EPOCH give the same bytes.
# shellcheck shell=bash

# The project's version.
version_of() { sed -n 's/^version *= *"\(.*\)"/\1/p' "$1/Cargo.toml" | head -n 1; }

# Tools of packages take times that are later than this one as this one, but not earlier ones.
stamp() { find "$@" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +; }

# tarball FOLDER NAME FILE: what NAME is in FOLDER, all of it root's.
tarball() {
    tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
        --format=gnu -cf - "$2" | gzip -9n >"$3"
}

# The files that a .deb of this tree puts onto a host, each behind a zero.
files_of() { (cd "$1" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | sort -z); }

# Kibibytes for a .deb's Installed-Size, of the files' lengths: blocks differ by file system.
installed_size() {
    (cd "$1" && files_of . | xargs -0 stat -c %s) | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }'
}

# deb TREE COMPRESSION FILE: a .deb of a tree with its DEBIAN/control.
deb() {
    (cd "$1" && files_of . | xargs -0 md5sum >DEBIAN/md5sums)
    stamp "$1"
    dpkg-deb --root-owner-group "-Z$2" --threads-max=1 --build "$1" "$3" >/dev/null
}

# rpm_of SPEC VERSION ARCH TREE FOLDER: an .rpm of a tree, by a spec that takes `version`, `arch` and `tree`. It is made
# beside the tree.
rpm_of() {
    local top="${4%/*}/rpm"
    rpmbuild -bb --quiet --target "$3" --define "_topdir $top" --define "version $2" \
        --define "arch $3" --define "tree $4" --define "_buildhost plimsoll" \
        --define "use_source_date_epoch_as_buildtime 1" --define "clamp_mtime_to_source_date_epoch 1" \
        --define "source_date_epoch_from_changelog 0" --define "_build_id_links none" \
        --define "__os_install_post %{nil}" --define "_binary_payload w9.gzdio" \
        --define "_build_name_fmt %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm" "$1"
    cp "$top"/RPMS/*.rpm "$5/"
}
