#!/usr/bin/env bash
# bench.sh: measures the program against git's own helper in C (libsecret), and prints the tables of
# docs/benchmarks.md.
#
# Usage: Tests/Bench/bench.sh [ROUNDS]    (default 100; fewer than 80 prove little)
#   Prints Markdown to stdout, and progress to stderr. The programs run in turns (Tests/Bench/Measure), in a private
#   session with a private keyring; each answer and exit status is checked. If installed, git-credential-oauth, gh and
#   a newer git (make newer-git) are compared too.
# Exit: 0 success, 1 unexpected result of a program, 64 wrong usage.
# shellcheck disable=SC2016  # backticks are Markdown here
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Bench/bench.bash
. "$here/bench.bash"

rounds=${1-100}
if ! [[ $rounds =~ ^[1-9][0-9]*$ ]] || (($# > 1)); then
    printf 'usage: %s [ROUNDS]\n' "${0##*/}" >&2
    exit 64
fi
enter_keyring "$@"

readonly warm_up=10
readonly measure=$root/.build/release/measure
[[ -x $measure ]] || fail 'no measure in .build/release (make bench builds it)'

# The folder of Debian's git package; on other systems, the variable names it.
readonly theirs_source=${LIBSECRET_HELPER_SOURCE:-/usr/share/doc/git/contrib/credential/libsecret}
readonly theirs=$scratch/libsecret/git-credential-libsecret
# The program itself, not git's wrapper, which is a shell script.
readonly newer_git_tree=$root/.build/newer-git/source
readonly newer_git=$newer_git_tree/git

say() { printf 'bench: %s\n' "$*" >&2; }

build_theirs() {
    cp -r "$theirs_source" "$scratch/libsecret" || fail "git's helper is not in $theirs_source"
    make -C "$scratch/libsecret" >"$scratch/build" 2>&1 || { cat "$scratch/build" >&2 && fail "git's helper does not build"; }
}

# row WHAT TARGET: measures the plan on stdin, and prints a table row for each contender compared with the last one.
row() {
    local name wall ratio cpu peak reference target=$2
    say "$1"
    "$measure" "$rounds" "$warm_up" >"$scratch/result"
    reference=$(tail -n 1 "$scratch/result" | cut -f 2)
    while IFS=$'\t' read -r name wall ratio cpu peak; do
        printf '| %s | %s | %.2f | %.2f | **%.2f** | %s | %.1f | %.1f |\n' \
            "$1" "${name//_/ }" "$wall" "$reference" "$ratio" "$target" "$cpu" "$(awk "BEGIN { print $peak / 1024 }")"
        # Only our program, which is the first contender, has a target.
        target=''
    done < <(head -n -1 "$scratch/result")
    tail -n 1 "$scratch/result" | { IFS=$'\t' read -r name wall ratio cpu peak && say "  reference: $cpu ms CPU, $peak KiB"; }
}

# plan CONTENDER STEP… [-- CONTENDER STEP…]…: prints the lines of a plan.
plan() {
    local word kind=contender
    for word in "$@"; do
        case $word in
        --) kind=contender ;;
        *)
            if [[ $kind == contender ]]; then printf 'contender %s\n' "$word"; else printf '%s\n' "$word"; fi
            kind=step
            ;;
        esac
    done
}

installed() { command -v "$1" >/dev/null; }

# git_credential GIT HELPER OPERATION: the command line of `git credential` with one helper.
git_credential() { printf '%s -c credential.helper=%s credential %s' "$1" "$2" "$3"; }

direct() {
    local in=$scratch
    local -a others=()
    if installed gh; then others+=(gh "run 0 $in/get password= gh auth git-credential get" --); fi
    plan gitspace "run 0 $in/get password=$password $ours get" -- \
        "${others[@]}" libsecret "run 0 $in/get password=$password $theirs get" |
        GH_TOKEN=gho_0000000000000000000000000000000000000 row '`get`, hit' '≤ 0.22'
    plan gitspace "run 0 $in/store - $ours store" -- libsecret "run 0 $in/store password= $theirs store" |
        row '`store` of what is stored, no `state[]`' '≤ 0.25'
    plan gitspace "run 0 $in/get-newer password=$password $ours get" "run 0 $in/store-newer - $ours store" -- \
        libsecret "run 0 $in/get-newer password=$password $theirs get" "run 0 $in/store-newer password= $theirs store" |
        row '`get` + `store` with `state[]`' '≤ 0.15'
    others=()
    if installed git-credential-oauth; then
        others+=(git-credential-oauth "run 0 $in/miss - git-credential-oauth get" --)
    fi
    plan gitspace "run 0 $in/miss - $ours get" -- "${others[@]}" libsecret "run 0 $in/miss - $theirs get" |
        row '`get`, miss, host unknown' '≤ 2'
    plan gitspace,_full_program "run 0 $in/get password=$password $ours get" -- \
        libsecret "run 0 $in/get password=$password $theirs get" |
        GITSPACE_FRONT_DOOR=off row '`get`, hit, front door off' ''
}

through_git() {
    local in=$scratch
    plan gitspace "run 0 $in/get password=$password $(git_credential git "$ours" fill)" -- \
        libsecret "run 0 $in/get password=$password $(git_credential git "$theirs" fill)" |
        row '`git credential fill`, hit' '≤ 0.40'
    if [[ ! -x $newer_git ]]; then
        say 'no newer git (make newer-git): its row is left out'
        return
    fi
    plan gitspace "run 0 $in/get password=$password $(git_credential "$newer_git" "$ours" fill)" \
        "run 0 $in/store-newer - $(git_credential "$newer_git" "$ours" approve)" -- \
        libsecret "run 0 $in/get password=$password $(git_credential "$newer_git" "$theirs" fill)" \
        "run 0 $in/store-newer - $(git_credential "$newer_git" "$theirs" approve)" |
        GIT_EXEC_PATH=$newer_git_tree row "\`fill\` + \`approve\`, git $("$newer_git" version | cut -d ' ' -f 3)" ''
}

# Measures a whole git command and a refresh, with a server.
with_server() {
    local in=$scratch
    start_stand_in --interval 5
    local pair ACCESS_TOKEN REFRESH_TOKEN
    pair=$(control POST "/token?login=$account&client_id=$CLIENT_ID_GITHUB_APP")
    eval "$pair"
    write_request get-server protocol=https "host=localhost:$PORT"
    local -a credential=(protocol=https "host=localhost:$PORT" "username=$account" "password=$ACCESS_TOKEN")
    write_request store-server "${credential[@]}"
    write_request store-pair "${credential[@]}" "password_expiry_utc=$(($(date +%s) + 28800))" \
        "oauth_refresh_token=$REFRESH_TOKEN"
    "$theirs" store <"$in/store-server" >/dev/null
    git config --global http.sslCAInfo "$CA"
    git config --global "credential.https://localhost:$PORT.provider" github
    git config --global "credential.https://localhost:$PORT.oauthClientId" "$CLIENT_ID_GITHUB_APP"

    local remote="ls-remote https://localhost:$PORT/acme/private"
    plan gitspace "run 0 /dev/null refs/heads/main git -c credential.helper=$ours $remote" -- \
        libsecret "run 0 /dev/null refs/heads/main git -c credential.helper=$theirs $remote" |
        row 'whole `git ls-remote` on this machine' ''
    "$ours" erase <"$in/get-server"
    "$ours" store <"$in/store-pair"
    # Expires the token before each request.
    cat >"$in/expire" <<'END'
#!/bin/sh
secret-tool lookup protocol https server localhost port "$1" user "$2" |
    sed -e '/^gitspace_issued=/d' -e "s/^password_expiry_utc=.*/password_expiry_utc=$(($(date +%s) - 10))/" |
    secret-tool store --label=bench xdg:schema org.git.Password protocol https server localhost port "$1" user "$2"
END
    chmod +x "$in/expire"
    plan gitspace "prepare 0 /dev/null - $in/expire $PORT $account" "run 0 $in/get-server password= $ours get" -- libsecret "run 0 $in/get password=$password $theirs get" |
        row '`get`, expired: refresh over TLS' 'CPU ≤ 40 ms'
    stop_stand_in
}

# The kind of this machine, without its name.
machine() {
    local model memory
    model=$(sed -n '/^model name[^:]*: /{s///p;q}' /proc/cpuinfo)
    memory=$(awk '/^MemTotal/ { printf "%d", $2 / 1048576 + 0.5 }' /proc/meminfo)
    # shellcheck source=/dev/null
    printf '%s, %d cores of %s, %d GB' "$(. /etc/os-release && printf %s "$PRETTY_NAME")" "$(nproc)" "${model:-unknown}" "$memory"
}

build_theirs
write_requests
store_credential "$theirs"

printf 'Measured on %s (%s; git %s, %d rounds in turns, medians).\n\n' \
    "$(LC_ALL=C date '+%-d %B %Y')" "$(machine)" "$(git version | cut -d ' ' -f 3)" "$rounds"
printf '| what | who | ms | git'\''s libsecret helper, ms | ratio | target | CPU ms | peak MB |\n'
printf '|---|---|--:|--:|--:|--:|--:|--:|\n'
direct
through_git
with_server
say 'counts'
printf '\n| a hit in numbers | gitspace | git'\''s libsecret helper |\n|---|--:|--:|\n'
printf '| instructions | %s | %s |\n' \
    "$(instructions "$ours" get <"$scratch/get-newer")" "$(instructions "$theirs" get <"$scratch/get-newer")"
printf '| shared libraries | %s | %s |\n' "$(shared_libraries "$ours")" "$(shared_libraries "$theirs")"
printf '| calls to the keyring | %s | %s |\n' \
    "$(keyring_calls "$ours" get <"$scratch/get")" "$(keyring_calls "$theirs" get <"$scratch/get")"
printf '| calls on the bus, in all | %s | %s |\n' \
    "$(bus_calls "$ours" get <"$scratch/get")" "$(bus_calls "$theirs" get <"$scratch/get")"
printf '| size of the program, MB | %s | %s |\n' \
    "$(awk "BEGIN { printf \"%.1f\", $(stat -c %s "$ours") / 1e6 }")" \
    "$(awk "BEGIN { printf \"%.2f\", $(stat -c %s "$theirs") / 1e6 }")"
