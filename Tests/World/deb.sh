#!/usr/bin/env bash
# deb.sh: the Debian packages, from the build to the removal.
#
# Usage: Tests/World/deb.sh     (as root, which bare-debian.sh needs)
# Builds them twice, as root and as an ordinary user, at two places and with other settings of the environment, and
# compares; then, on a bare Debian 12 and 13, Tests/Install/deb.sh checks, installs, tries and removes them.
# Exit: 0 all as it should be, 1 not (it says what).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/deb.sh .build/deb
# Where git gets packages may be root's, which an ordinary user's git reads only if it is told to.
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

# For the demo; it must run where there is no Swift.
swift build --configuration release --static-swift-stdlib --product stand-in
mkdir "$work/lent"
cp .build/deb/*.deb .build/release/stand-in "$work/lent/"
for suite in bookworm trixie; do
    Tests/World/bare-debian.sh --own-swift --as root --lend "$work/lent" "$suite" Tests/Install/deb.sh /srv
done
