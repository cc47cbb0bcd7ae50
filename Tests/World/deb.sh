#!/usr/bin/env bash
# deb.sh: tests the Debian packages, from the build to the removal.
#
# Usage: Tests/World/deb.sh     (as root, which bare-debian.sh needs)
# Builds the packages twice, as root and as an ordinary user, in two folders and with different environment variables,
# and compares them. Then Tests/Install/deb.sh checks, installs, tries and removes them on a bare Debian 12 and 13.
# Exit: 0 passed, 1 failed (with a message).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/deb.sh .build/deb
# An ordinary user's git must be allowed to read package folders that belong to root.
chmod 755 "$work"
mkdir "$work/home" "$work/elsewhere"
git config --file "$work/home/.gitconfig" safe.directory '*'
git clone --quiet "file://$PWD" "$work/elsewhere/tree"
chown -R nobody:nogroup "$work/home" "$work/elsewhere"
(
    cd "$work/elsewhere/tree"
    unset XDG_CACHE_HOME XDG_CONFIG_HOME TMPDIR
    HOME=$work/home USER=nobody LOGNAME=nobody TZ=Asia/Seoul LC_ALL=C.UTF-8 \
        setpriv --reuid nobody --regid nogroup --clear-groups packaging/deb.sh
)
for package in .build/deb/*.deb; do
    cmp "$package" "$work/elsewhere/tree/.build/deb/$(basename "$package")" || {
        printf 'deb: two builds are not the same\n' >&2
        exit 1
    }
done
printf 'deb: two builds are the same: %s\n' "$(basename -a .build/deb/*.deb | paste -sd ' ')"

# The demo's server, built so that it runs without Swift.
swift build --configuration release --static-swift-stdlib --product stand-in
mkdir "$work/lent"
cp .build/deb/*.deb .build/release/stand-in "$work/lent/"
for suite in bookworm trixie; do
    Tests/World/bare-debian.sh --own-swift --as root --lend "$work/lent" "$suite" Tests/Install/deb.sh /srv
done
