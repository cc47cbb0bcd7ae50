# in-session.bash: what the scripts that run in a private session, or check an installation, have in common. Sourced, not run.
# shellcheck shell=bash
#
# The session itself, and what a person's settings mean in it (nothing), is private-session.bash's.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root
# Where the stand-in for GitHub is; it serves whomever it is asked by alike, so a build for tests will do.
readonly stand_in_program=${STAND_IN:-$root/.build/debug/stand-in}

# How many checks have been made.
checks=0

# Starts the calling script again in a private session with a keyring, unless it is in one already: what follows the
# call happens in there. in_private_session "$@"
in_private_session() {
    [[ -n ${KEYRING_PID-} ]] || exec "$root/Tests/Support/with-keyring.sh" "$(realpath -- "$0")" "$@"
}

# The same for a script that takes one argument at most, which has a name: in_private_session_with NAME "$@"
in_private_session_with() {
    (($# <= 2)) || {
        printf 'usage: %s [%s]\n' "${0##*/}" "$1" >&2
        exit 64
    }
    in_private_session "${@:2}"
}

# Ends the script with a message.
fail() {
    printf '%s: FAILED: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

# check WHAT COMMAND [ARGUMENT…]: the command must succeed.
check() {
    "${@:2}" || fail "not so: $1"
    checks=$((checks + 1))
    printf '  %sok%s %s\n' "${bold-}" "${plain-}" "$1"
}

# Commands for check: the opposite of one, and one that prints a text somewhere: prints TEXT COMMAND [ARGUMENT…].
not() { ! "$@"; }
prints() { [[ $("${@:2}" 2>&1) == *"$1"* ]]; }

# Starts the stand-in for GitHub, with acme/private on it: start_stand_in [OPTION…]. It says where it is (PROXY, CA,
# CONTROL, …), and lasts until its standard input ends, which this shell holds.
start_stand_in() {
    local settings
    [[ -x $stand_in_program ]] || fail "there is no program $stand_in_program; \`swift build --product stand-in\` builds it"
    coproc stand_in { exec "$stand_in_program" "$@"; }
    # Lines of NAME=VALUE, quoted for a shell.
    read -r settings <&"${stand_in[0]}" || fail 'the stand-in did not start'
    eval "$settings"
    : "${PROXY:?} ${CA:?} ${CONTROL:?} ${PORT:?} ${CLIENT_ID_OAUTH_APP:?} ${CLIENT_ID_GITHUB_APP:?}"
    control POST '/repo?owner=acme&name=private' >/dev/null
}

# Ends it.
stop_stand_in() {
    # shellcheck disable=SC2154  # coproc sets it
    local input=${stand_in[1]} process=$stand_in_PID
    exec {input}>&-
    wait "$process" || true
}

# Asks or tells the stand-in's control port: control GET|POST PATH.
control() { curl -q --silent --show-error --fail --noproxy '*' --request "$1" "$CONTROL$2"; }

# Lets git and the program find the stand-in where they look for https://github.com.
lead_git_to_stand_in() {
    git config --global http.proxy "$PROXY"
    git config --global http.sslCAInfo "$CA"
}
