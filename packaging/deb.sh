#!/usr/bin/env bash
# deb.sh: makes Debian packages of what is checked out, as any user: the program, and its debug symbols.
#
# Usage: packaging/deb.sh [FOLDER]     (default: .build/deb; what is needed: packaging/dependencies.sh deb)
# GITHUB_CLIENT_ID, GITLAB_CLIENT_ID and CODEBERG_CLIENT_ID are built in, as `make` does. The same sources and the same compiler give the same
# bytes in whatever folder; the time is SOURCE_DATE_EPOCH, by default that of the last commit.
# Exit: 0 done, 1 not, 64 usage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

(($# <= 1)) || {
    printf 'usage: %s [FOLDER]\n' "${0##*/}" >&2
    exit 64
}
mkdir -p "${1:-.build/deb}"
folder=$(cd "${1:-.build/deb}" && pwd)
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
source=$folder/source

# Debian's tools want the folder `debian` at the top of the sources, and build there: so they get a copy of what git
# tracks, in which it is, and the tree keeps its top level.
rm -rf "$source" "$folder"/*.{deb,changes,buildinfo}
mkdir "$source"
git ls-files -z | xargs -0 cp --parents --no-dereference --target-directory="$source"
cp -R packaging/debian "$source/debian"
# The version stands in the sources alone, so this file is made; what has changed is in CHANGELOG.md.
cat >"$source/debian/changelog" <<CHANGELOG
git-credential-gitspace ($(packaging/version.sh)) unstable; urgency=medium

  * What has changed: /usr/share/doc/git-credential-gitspace/changelog.gz

 -- $(sed -n 's/^Maintainer: //p' packaging/debian/control)  $(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
CHANGELOG

# Where Swift is not the system's package, its build dependency does not hold.
profiles=()
[[ $(dpkg-query --show --showformat '${db:Status-Status}' swiftlang 2>/dev/null || true) == installed ]] ||
    profiles=(--build-profiles=pkg.git-credential-gitspace.other-swift)
cd "$source"
# The variables of a make that has called this script are not for the one in there; and nobody else may read less.
umask 022
env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS dpkg-buildpackage --build=binary --no-sign --no-pre-clean "${profiles[@]}"
ls -l "$folder"/*.deb
