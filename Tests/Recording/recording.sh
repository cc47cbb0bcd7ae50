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

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root

# First this script runs itself in a private session with a keyring; what follows this block happens in there.
if [[ ${1-} != --in-session ]]; then
    (($# <= 1)) || {
        printf 'usage: %s [BUILT]\n' "${0##*/}" >&2
        exit 64
    }
    exec "$root/Tests/Support/with-keyring.sh" "$root/Tests/Recording/recording.sh" --in-session \
        "$(realpath -s -- "${1:-$root/.build/release}")"
fi

readonly stand_in=$root/.build/debug/stand-in
# Settings of whoever runs this must not be seen in the picture.
unset "${!GIT_@}" "${!GITSPACE_@}" "${!GCM_@}" "${!SSL_CERT_@}" "${!LC_@}" LANGUAGE CI VSCODE_GIT_FETCH_SILENT \
    NO_COLOR SSH_ASKPASS CURL_CA_BUNDLE http_proxy https_proxy HTTPS_PROXY no_proxy NO_PROXY all_proxy ALL_PROXY
export GIT_CONFIG_NOSYSTEM=1 LANG=C.UTF-8 PATH=$2:$PATH

coproc "$stand_in" --interval 1
# Lines of NAME=VALUE, quoted for a shell.
read -r settings <&"${COPROC[0]}" || {
    printf 'recording: the stand-in did not start\n' >&2
    exit 1
}
eval "$settings"
: "${PROXY:?} ${CA:?} ${CONTROL:?} ${CLIENT_ID_OAUTH_APP:?}"
export PROXY CA
curl -q --silent --show-error --fail --noproxy '*' --request POST "$CONTROL/repo?owner=acme&name=private" >"$HOME/page"

git config --global http.proxy "$PROXY"
git config --global http.sslCAInfo "$CA"
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
