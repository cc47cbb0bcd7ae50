#!/usr/bin/env bash
# tarball.sh: packs the programs built by `make` as they are installed, with a list of their components.
#
# Usage: packaging/tarball.sh FOLDER
# Writes into the folder:
#   git-credential-gitspace-VERSION-linux-MACHINE.tar.gz   to unpack over a prefix such as /usr/local or ~/.local; the
#       full program loads the system's libsecret, libcurl, libcrypto, libseccomp and libqrencode, and contains all
#       of Swift
#   the same with .debug.tar.gz                            the debug symbols
#   the same with .spdx.json                               the components (SPDX 2.3)
# The same sources, built in the same folder with the same compiler, give the same bytes (CONTRIBUTING.md, Release):
# names are sorted, owners are numbers, and the time is SOURCE_DATE_EPOCH, by default that of the last commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

(($# == 1)) || {
    printf 'usage: %s FOLDER\n' "${0##*/}" >&2
    exit 64
}
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(packaging/version.sh)
name=git-credential-gitspace-$version-linux-$(uname -m)
stripped=.build/release/stripped
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT

# pack ARCHIVE DIRECTORY: packs a directory's contents below a folder with the archive's name.
pack() {
    tar --create --directory "$2" --sort=name --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime \
        --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --transform "s,^\.,$name," . |
        gzip --no-name --best >"$1"
}

make --silent copy DESTDIR="$staged/program" PREFIX=
install -D -m 644 -t "$staged/program/share/doc/git-credential-gitspace" LICENSE README.md CHANGELOG.md SECURITY.md
pack "$folder/$name.tar.gz" "$staged/program"
for program in git-credential-gitspace git-credential-gitspace-full; do
    install -D -m 644 "$stripped/$program.debug" "$staged/debug/lib/debug/$program.debug"
done
pack "$folder/$name.debug.tar.gz" "$staged/debug"
packaging/sbom.py "$name.tar.gz" "$folder/$name.tar.gz" >"$folder/$name.spdx.json"
