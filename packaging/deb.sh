#!/usr/bin/env bash
# deb.sh: makes Debian packages of the checked-out program and of its debug symbols, as any user.
#
# Usage: packaging/deb.sh [FOLDER]     (default: .build/deb; install the tools with packaging/dependencies.sh deb)
# GITHUB_CLIENT_ID, GITLAB_CLIENT_ID and CODEBERG_CLIENT_ID are built in, as `make` does. The same sources and compiler
# give the same bytes in any folder; the time is SOURCE_DATE_EPOCH, by default that of the last commit.
# GITSPACE_BUILT, the absolute path of a folder with programs that were built by `make SWIFT_FLAGS="$(make --silent --file
# packaging/debian/rules flags)"`, has these packed, whatever the client IDs.
# Exit: 0 success, 1 failure, 64 usage.
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

# Debian's tools need the folder `debian` at the top of the sources, and build there: so they get a copy of the files
# that git tracks, with that folder, and the tree keeps its top level.
rm -rf "$source" "$folder"/*.{deb,changes,buildinfo}
mkdir "$source"
git ls-files -z | xargs -0 cp --parents --no-dereference --target-directory="$source"
cp -R packaging/debian "$source/debian"
# The version is only in the sources, so this file is generated; CHANGELOG.md has the changes.
cat >"$source/debian/changelog" <<CHANGELOG
git-credential-gitspace ($(packaging/version.sh)) unstable; urgency=medium

  * What has changed: /usr/share/doc/git-credential-gitspace/changelog.gz

 -- $(sed -n 's/^Maintainer: //p' packaging/debian/control)  $(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
CHANGELOG

# Without the system's package of Swift, the build dependency is not satisfied.
profiles=()
[[ $(dpkg-query --show --showformat '${db:Status-Status}' swiftlang 2>/dev/null || true) == installed ]] ||
    profiles=(--build-profiles=pkg.git-credential-gitspace.other-swift)
cd "$source"
# The variables of an outer make must not affect the one inside; and files must be readable for everybody.
umask 022
env -u MAKEFLAGS -u MAKEOVERRIDES -u MFLAGS dpkg-buildpackage --build=binary --no-sign --no-pre-clean "${profiles[@]}"
ls -l "$folder"/*.deb
