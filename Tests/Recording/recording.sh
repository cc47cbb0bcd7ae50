#!/usr/bin/env bash
# recording.sh: records a real first clone, and draws the README's pictures from it.
#
# Uses real git over real TLS, a real keyring (gnome-keyring), and the stand-in for GitHub on loopback, as the demo
# does: needs no account and no network, and leaves the person's files alone.
#
# Usage: Tests/Recording/recording.sh [BUILT]
#   BUILT  the folder of the built programs (default: .build/release, which `make recording` builds)
# Writes packaging/recording/first-clone-{light,dark}.svg, and the same screens as text into README.md, between comments
# that begin with "recording:"; and the same in Korean.
# Exit: 0 success, 1 an unexpected result, 64 usage.
set -euo pipefail

# shellcheck source=Tests/Support/in-session.bash
. "$(dirname "${BASH_SOURCE[0]}")/../Support/in-session.bash"
in_private_session_with BUILT "$@"

built=$(realpath -s -- "${1:-$root/.build/release}")
# Keep personal settings out of the picture.
unset NO_COLOR
export PATH=$built:$PATH

start_stand_in --interval 1
export PROXY CA
lead_git_to_stand_in
git config --global credential.https://github.com.helper gitspace
git config --global credential.https://github.com.oauthClientId "$CLIENT_ID_OAUTH_APP"

# record LANGUAGE PICTURE DOCUMENT: records a first clone in that language, with an empty keyring.
record() {
    mkdir "$HOME/src"
    (cd "$HOME/src" && LANGUAGE=$1 "$root/Tests/Recording/record.py" "$HOME/../$1.cast" "$1")
    printf 'url=https://github.com\n\n' | git credential reject 2>/dev/null
    rm -rf "$HOME/src"
    "$root/Tests/Recording/render.py" "$HOME/../$1.cast" "$root/packaging/recording/$2" "$root/$3"
}
record en first-clone README.md
record ko first-clone-ko README.ko.md
