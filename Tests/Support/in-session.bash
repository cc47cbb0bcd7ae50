# in-session.bash: common functions of scripts that run in a private session, or check an installation. Sourced, not
# run.
# shellcheck shell=bash
#
# private-session.bash makes the session, and keeps a person's settings out of it.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root
# The stand-in for GitHub; a debug build is good enough, since it behaves the same.
readonly stand_in_program=${STAND_IN:-$root/.build/debug/stand-in}

# The number of checks so far.
checks=0

# in_private_session "$@": restarts the calling script in a private session with a keyring, unless it runs in one.
# Commands after this call run in the session.
in_private_session() {
    [[ -n ${KEYRING_PID-} ]] || exec "$root/Tests/Support/with-keyring.sh" "$(realpath -- "$0")" "$@"
}

# in_private_session_with NAME "$@": the same for a script with at most one argument, which has this name.
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

# Commands for check: not COMMAND…, which inverts a status; prints TEXT COMMAND…, which searches the output.
not() { ! "$@"; }
prints() { [[ $("${@:2}" 2>&1) == *"$1"* ]]; }

# start_stand_in [OPTION…]: starts the stand-in for GitHub, with acme/private on it. Sets PROXY, CA, CONTROL and others.
# The stand-in ends with its standard input, which this shell holds.
start_stand_in() {
    local settings
    [[ -x $stand_in_program ]] || fail "there is no program $stand_in_program; \`swift build --product stand-in\` builds it"
    coproc stand_in { exec "$stand_in_program" "$@"; }
    # The settings are NAME=VALUE lines, quoted for a shell.
    read -r settings <&"${stand_in[0]}" || fail 'the stand-in did not start'
    eval "$settings"
    : "${PROXY:?} ${CA:?} ${CONTROL:?} ${PORT:?} ${CLIENT_ID_OAUTH_APP:?} ${CLIENT_ID_GITHUB_APP:?}"
    control POST '/repo?owner=acme&name=private' >/dev/null
}

# Stops the stand-in.
stop_stand_in() {
    # shellcheck disable=SC2154  # coproc sets it
    local input=${stand_in[1]} process=$stand_in_PID
    exec {input}>&-
    wait "$process" || true
}

# control GET|POST PATH: sends a request to the stand-in's control port.
control() { curl -q --silent --show-error --fail --noproxy '*' --request "$1" "$CONTROL$2"; }

# Makes git and the program find the stand-in at https://github.com.
lead_git_to_stand_in() {
    git config --global http.proxy "$PROXY"
    git config --global http.sslCAInfo "$CA"
}
