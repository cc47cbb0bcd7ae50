#!/usr/bin/env bash
# stress.sh: queries the keyring thousands of times, concurrently, and checks that its daemon survives unlocked.
#
# A client that begins with OpenSession aborts gnome-keyring about once in some thousand runs; the bus then starts a
# locked daemon. A few hundred successful runs prove nothing.
#
# Usage: Tests/Bench/stress.sh [RUNS [WORKERS]]    (default 2000 runs by 4 workers)
#   Prints one line after success. Exit: 0, or 1 with the reason; 64 wrong usage.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=Tests/Bench/bench.bash
. "$here/bench.bash"

runs=${1-2000} workers=${2-4}
if ! [[ $runs =~ ^[1-9][0-9]*$ && $workers =~ ^[1-9][0-9]*$ ]] || (($# > 2)); then
    printf 'usage: %s [RUNS [WORKERS]]\n' "${0##*/}" >&2
    exit 64
fi
enter_keyring "$@"
write_requests
store_credential "$ours"

# Leave the full program out: the front door would hand over to it and hide its own failure.
mkdir "$scratch/alone"
cp "$ours" "$scratch/alone/"
printf 'username=%s\npassword=%s\n' "$account" "$password" >"$scratch/expected"

# work RUNS: prints how many of the runs returned the right answer.
work() {
    local run answer expected good=0
    expected=$(<"$scratch/expected")
    for ((run = 0; run < $1; run++)); do
        answer=$("$scratch/alone/${ours##*/}" get <"$scratch/get" 2>>"$scratch/errors") || true
        if [[ $answer == "$expected" ]]; then good=$((good + 1)); fi
    done
    printf '%d\n' "$good"
}

begun=$SECONDS
for ((worker = 0; worker < workers; worker++)); do
    work $((runs / workers + (worker < runs % workers ? 1 : 0))) >"$scratch/good.$worker" &
done
wait
good=$(cat "$scratch"/good.* | awk '{ sum += $1 } END { print sum + 0 }')

kill -0 "$KEYRING_PID" 2>/dev/null || fail "the keyring's daemon has died; $good of $runs runs were good"
owner=$(gdbus call --session --dest org.freedesktop.DBus --object-path /org/freedesktop/DBus \
    --method org.freedesktop.DBus.GetConnectionUnixProcessID org.freedesktop.secrets)
[[ $owner == "(uint32 $KEYRING_PID,)" ]] || fail "another daemon has taken over: $owner, once $KEYRING_PID"
if "$root/Tests/Support/keyring-control.py" is-locked; then fail 'the keyring has been locked'; fi
if grep CRITICAL "$KEYRING_LOG" >&2; then fail 'the daemon has complained'; fi
((good == runs)) || fail "only $good of $runs runs gave the password: $(sort "$scratch/errors" | uniq -c | head -n 3)"
printf 'stress: %d of %d runs by %d workers gave the password, in %d s; the daemon lives, is open and has nothing to say\n' \
    "$good" "$runs" "$workers" "$((SECONDS - begun))"
