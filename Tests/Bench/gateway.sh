#!/usr/bin/env bash
# gateway.sh: measures git through `share`, git alone, and git through mitmproxy with an addon that adds the header;
# prints the table of docs/benchmarks.md.
#
# Usage: Tests/Bench/gateway.sh [ROUNDS [MEGABYTES]]    (default 7 and 500)
#   Prints Markdown to stdout, and progress to stderr. The host is host.py, which streams prepared answers with TLS on
#   loopback. Each round runs each contender once, one after the other; each result is checked.
# Exit: 0 success, 1 unexpected result of a program, 64 wrong usage.
# shellcheck disable=SC2016  # $ is git's, awk's or the inner shell's here
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Bench/bench.bash
. "$here/bench.bash"

rounds=${1-7} size=${2-500}
if ! [[ $rounds =~ ^[1-9][0-9]*$ && $size =~ ^[1-9][0-9]*$ ]] || (($# > 2)); then
    printf 'usage: %s [ROUNDS [MEGABYTES]]\n' "${0##*/}" >&2
    exit 64
fi
enter_keyring "$@"
export GIT_CONFIG_NOSYSTEM=1
PATH=$(dirname "$ours"):$PATH

started=()
# shellcheck disable=SC2317  # the trap calls it
finish() {
    ((${#started[@]} == 0)) || kill -- "${started[@]}" 2>/dev/null || true
    wait || true
    rm -rf "$scratch"
}
trap finish EXIT

say() { printf 'gateway: %s\n' "$*" >&2; }

# Starts a host that requires the password.
start_host() {
    "$root/Tests/Support/certificate.sh" "$scratch"
    "$here/host.py" "$1" "$scratch/tls.pem" "$scratch/tls.key" "$scratch/host" "$account:$password" 2>"$scratch/host.log" &
    started+=($!)
    until curl -q --silent --output /dev/null --cacert "$scratch/ca.pem" "https://localhost:$1/acme/large/"; do
        kill -0 $! 2>/dev/null || fail "host.py: $(cat "$scratch/host.log")"
        sleep 0.1
    done
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# make_repository NAME MEGABYTES: makes a repository with incompressible files of 5 MB.
make_repository() {
    git init --quiet --bare "$scratch/host/acme/$1"
    git -C "$scratch/host/acme/$1" config http.receivepack true
    # The host keeps the pack that it receives, and sends it without further work.
    git -C "$scratch/host/acme/$1" config receive.unpackLimit 1
    git init --quiet "$scratch/$1"
    for ((i = 0; i < $2; i += 5)); do head -c 5000000 /dev/urandom >"$scratch/$1/$i"; done
    git -C "$scratch/$1" add .
    git -C "$scratch/$1" -c core.compression=0 commit --quiet --message "$2 MB"
    # A push sends the objects of an uncompressed pack without further work.
    git -C "$scratch/$1" -c core.compression=0 repack -adq
    git -C "$scratch/$1" push --quiet "$scratch/host/acme/$1" HEAD:main
    git -C "$scratch/host/acme/$1" symbolic-ref HEAD refs/heads/main
}

# settings NAME: the git configuration of a contender, as GIT_CONFIG_* variables in an array of that name.
settings() {
    local -a pairs=("${@:2}")
    local number
    printf '%s=%s\n' HOME "$scratch/home-$1" GIT_TERMINAL_PROMPT 0 GIT_CONFIG_COUNT $((${#pairs[@]} / 2))
    for ((number = 0; number < ${#pairs[@]}; number += 2)); do
        printf 'GIT_CONFIG_KEY_%d=%s\nGIT_CONFIG_VALUE_%d=%s\n' $((number / 2)) "${pairs[number]}" $((number / 2)) \
            "${pairs[number + 1]}"
    done
}

# as CONTENDER ARGUMENT…: runs git with a contender's configuration.
as() {
    local -a environment
    mapfile -t environment <"$scratch/settings-$1"
    env "${environment[@]}" git "${@:2}"
}

# timed COMMAND…: prints a command's duration in milliseconds.
timed() {
    local start=${EPOCHREALTIME/./}
    "$@" >"$scratch/out" 2>&1 || fail "$*: $(cat "$scratch/out")"
    printf '%d\n' $(((${EPOCHREALTIME/./} - start) / 1000))
}

# used_by CONTENDER: prints the processor time, in ms, of git's own HTTPS process, of the ended processes of connections,
# or of mitmproxy.
used_by() {
    local -a fields
    local milliseconds=$((1000 / $(getconf CLK_TCK)))
    case $1 in
    direct) awk '{ sum += $1 + $2 } END { printf "%d\n", sum * 1000 }' "$scratch/times" ;;
    gateway)
        # The kernel adds the time of a process when it has ended.
        until [[ -z $(<"/proc/$sharing/task/$sharing/children") ]]; do sleep 0.05; done
        read -ra fields <"/proc/$sharing/stat"
        printf '%d\n' $(((fields[15] + fields[16]) * milliseconds))
        ;;
    mitmproxy)
        read -ra fields <"/proc/$mitmproxy/stat"
        printf '%d\n' $(((fields[13] + fields[14]) * milliseconds))
        ;;
    esac
}

median() { sort -n "$1" | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

list() { timed as "$1" ls-remote "https://localhost:$port/acme/large"; }
clone() {
    rm -rf "$scratch/clone"
    timed as "$1" clone --quiet --no-checkout "https://localhost:$port/acme/large" "$scratch/clone"
}
push() {
    timed as "$1" -C "$scratch/small" push --quiet "https://localhost:$port/acme/push" HEAD:bench
}

# speed: prints how fast the host sends the answer to a clone when git is not the receiver.
speed() {
    printf '0011command=fetch00010032want %s\n0009done\n0000' "$(git -C "$scratch/host/acme/large" rev-parse HEAD)" >"$scratch/wanted"
    # The host prepares the answer during the first request.
    for _ in 1 2; do
        curl -q --silent --fail --output /dev/null --write-out '%{speed_download}\n' --cacert "$scratch/ca.pem" \
            --user "$account:$password" --header 'Git-Protocol: version=2' --header 'Expect:' \
            --data-binary "@$scratch/wanted" "https://localhost:$port/acme/large/git-upload-pack"
    done | awk 'END { printf "%d MB/s\n", $1 / 1000000 }'
}

# row WHAT TEXT TARGET ROUNDS MEGABYTES: measures all contenders and prints a row of the table.
row() {
    local contender round before what=$1
    for contender in "${contenders[@]}"; do : >"$scratch/$what-$contender" && : >"$scratch/cpu-$contender"; done
    for ((round = 0; round <= ${4-$rounds}; round++)); do
        for contender in "${contenders[@]}"; do
            say "$what, $contender, round $round"
            : >"$scratch/times"
            before=$(used_by "$contender")
            "$what" "$contender" >"$scratch/time"
            # Round 0 is for warming up.
            ((round > 0)) || continue
            cat "$scratch/time" >>"$scratch/$what-$contender"
            printf '%d\n' $(($(used_by "$contender") - before)) >>"$scratch/cpu-$contender"
        done
    done
    local direct through theirs
    direct=$(median "$scratch/$what-direct") through=$(median "$scratch/$what-gateway") theirs=–
    [[ ! -e $scratch/settings-mitmproxy ]] || theirs=$(median "$scratch/$what-mitmproxy")
    printf '| %s | %s | %s | **%s** | %s | %s |\n' "$2" "$direct" "$through" \
        "$(awk "BEGIN { printf \"%.2f (%+d)\", $through / $direct, $through - $direct }")" "$3" "$theirs"
    [[ $what == list ]] || for contender in "${contenders[@]}"; do
        printf '%s: %s ms\n' "$contender" $(($(median "$scratch/cpu-$contender") * 100 / ${5})) >>"$scratch/processor-$what"
    done
}

mkdir -p "$scratch/host" "$scratch"/home-{direct,gateway,mitmproxy}
port=$(free_port)
git config --global user.name bench
git config --global user.email bench@example.com
git config --global init.defaultBranch main
git config --global http.sslCAInfo "$scratch/ca.pem"
say "making repositories of $size and $((size * 2 / 5)) MB"
make_repository large "$size"
make_repository small $((size * 2 / 5))
make_repository many 5
git init --quiet --bare "$scratch/host/acme/push"
# Programs of git, of which the HTTPS one appends its processor time to a file.
mkdir "$scratch/exec"
ln -s "$(git --exec-path)"/* "$scratch/exec"
rm "$scratch/exec/git-remote-https"
printf '#!/bin/sh\nexec /usr/bin/time -q -a -o %s -f "%%U %%S" %s/git-remote-https "$@"\n' "$scratch/times" \
    "$(git --exec-path)" >"$scratch/exec/git-remote-https"
chmod +x "$scratch/exec/git-remote-https"
start_host "$port"
printf 'protocol=https\nhost=localhost:%s\nusername=%s\npassword=%s\n' "$port" "$account" "$password" |
    git-credential-gitspace store
git-credential-gitspace share bench --host "localhost:$port" >"$scratch/share" 2>&1 &
started+=($!)
sharing=$!
until grep -q 'press Ctrl-C' "$scratch/share"; do
    kill -0 "$sharing" || fail "share: $(cat "$scratch/share")"
    sleep 0.1
done
folder=$XDG_RUNTIME_DIR/gitspace/bench
sed "s|%2Frun%2Fgitspace|${folder//\//%2F}|" "$folder/gitconfig" >"$scratch/gitconfig"
header="Authorization: Basic $(printf '%s:%s' "$account" "$password" | base64 -w 0)"
contenders=(direct gateway)
settings direct http.sslCAInfo "$scratch/ca.pem" http.extraHeader "$header" >"$scratch/settings-direct"
printf '%s\n' "GIT_EXEC_PATH=$scratch/exec" >>"$scratch/settings-direct"
settings gateway include.path "$scratch/gitconfig" >"$scratch/settings-gateway"
if command -v mitmdump >/dev/null; then
    contenders+=(mitmproxy)
    proxy_port=$(free_port)
    cat >"$scratch/addon.py" <<END
def requestheaders(flow):
    flow.request.headers["Authorization"] = "${header#*: }"
END
    mitmdump --quiet --listen-host 127.0.0.1 --listen-port "$proxy_port" --set "confdir=$scratch/mitm" \
        --set stream_large_bodies=1 --set "ssl_verify_upstream_trusted_ca=$scratch/ca.pem" \
        --scripts "$scratch/addon.py" >"$scratch/mitm.log" 2>&1 &
    mitmproxy=$!
    started+=("$mitmproxy")
    until [[ -s $scratch/mitm/mitmproxy-ca-cert.pem ]]; do sleep 0.1; done
    settings mitmproxy http.sslCAInfo "$scratch/mitm/mitmproxy-ca-cert.pem" http.proxy "http://127.0.0.1:$proxy_port" \
        >"$scratch/settings-mitmproxy"
fi

printf '%s\n' '| what | direct, ms | through `share`, ms | ratio (difference) | target | mitmproxy, ms |' '|---|---|---|---|---|---|'
row list '`git ls-remote`' '+25 ms' $((rounds * 3)) 1
row clone "\`git clone\` of $size MB" '1.15' "$rounds" "$size"
row push "\`git push\` of $((size * 2 / 5)) MB" '1.15' "$rounds" $((size * 2 / 5))
printf '\nProcessor time for 100 MB of a clone: %s. Of a push: %s. The host alone gives %s.\n' \
    "$(paste -sd ' ' "$scratch/processor-clone")" "$(paste -sd ' ' "$scratch/processor-push")" "$(speed)"

say 'fifty clones at once'
for number in {1..50}; do
    as gateway clone --quiet --depth 1 "https://localhost:$port/acme/many" "$scratch/many-$number" 2>"$scratch/many.log" &
    many+=($!)
done
# highest: prints the largest anonymous memory and the largest PSS of the connections' processes, in kB
# (proc_pid_smaps(5)).
highest() {
    local child anonymous=0 share=0 value
    for child in $(<"/proc/$sharing/task/$sharing/children"); do
        value=$(sed -n 's/^Anonymous:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$child/smaps_rollup" 2>/dev/null || true)
        ((${value:-0} <= anonymous)) || anonymous=$value
        value=$(sed -n 's/^Pss:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$child/smaps_rollup" 2>/dev/null || true)
        ((${value:-0} <= share)) || share=$value
    done
    printf '%s %s\n' "$anonymous" "$share"
}
for process in "${many[@]}"; do wait "$process" || fail "a clone of fifty: $(cat "$scratch/many.log")"; done
rm -rf "$scratch/clone"
as gateway clone --quiet --no-checkout "https://localhost:$port/acme/large" "$scratch/clone" &
cloning=$!
anonymous=0 share=0
while kill -0 "$cloning" 2>/dev/null; do
    read -r now_anonymous now_share < <(highest)
    ((now_anonymous <= anonymous)) || anonymous=$now_anonymous
    ((now_share <= share)) || share=$now_share
    sleep 0.05
done
wait "$cloning"
printf '\nFifty clones at once: all succeed. Memory of a connection at its most, while it clones %s MB: %s (target: 5 MB).\n' \
    "$size" "$(awk "BEGIN { printf \"%.1f MB anonymous, %.1f MB by its share (PSS)\", $anonymous / 1024, $share / 1024 }")"
