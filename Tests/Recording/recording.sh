#!/usr/bin/env bash
# recording.sh: records a first clone as it really happens, and draws the pictures of the README from it.
#
# Real git over real TLS, a real keyring (gnome-keyring), and the stand-in for GitHub on loopback, as in the demo: no
# account and no network are needed, and nothing of whoever runs it is touched.
#
# Usage: Tests/Recording/recording.sh [BUILT]
#   BUILT  the folder of the built programs (default: .build/release, which `make recording` builds)
# It writes packaging/recording/first-clone-{light,dark}.svg, and into README.md, between the comments that begin with
# "recording:", the same screens as text; and likewise in Korean.
# Exit: 0 done, 1 something went another way than it should, 64 usage.
set -euo pipefail

# shellcheck source=Tests/Support/in-session.bash
. "$(dirname "${BASH_SOURCE[0]}")/../Support/in-session.bash"
in_private_session_with BUILT "$@"

built=$(realpath -s -- "${1:-$root/.build/release}")
# It must not be seen in the picture who runs this.
unset NO_COLOR
export PATH=$built:$PATH

start_stand_in --interval 1
export PROXY CA
lead_git_to_stand_in
git config --global credential.https://github.com.helper gitspace
git config --global credential.https://github.com.oauthClientId "$CLIENT_ID_OAUTH_APP"

# record LANGUAGE PICTURE DOCUMENT: a first clone, since nothing is stored yet, in that language.
record() {
    mkdir "$HOME/src"
    (cd "$HOME/src" && LANGUAGE=$1 "$root/Tests/Recording/record.py" "$HOME/../$1.cast" "$1")
    printf 'url=https://github.com\n\n' | git credential reject 2>/dev/null
    rm -rf "$HOME/src"
    "$root/Tests/Recording/render.py" "$HOME/../$1.cast" "$root/packaging/recording/$2" "$root/$3"
}
record en first-clone README.md
record ko first-clone-ko README.ko.md
