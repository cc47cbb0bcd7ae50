#!/usr/bin/env bash
# fuzz.sh: feeds the parsers with what nobody would write, and checks what must hold for every input (libFuzzer).
#
# Usage: Tests/Fuzz/fuzz.sh [SECONDS [TARGET…]]     (default: 60 seconds for each target)
#   SECONDS  for each target; 0 only runs what has been found before: seeds and findings
#   TARGET   Request, SecretText, OAuth, Addresses, Configuration, SessionBus, JSONWebToken, Files, Gateway (default: all)
# Environment: FUZZ_RUNS, if set, ends each target after so many inputs instead; FUZZ_SEED, for a run to be repeated.
# A finding is left in .build/fuzz/findings; it belongs into Tests/Fuzz/Seeds together with its fix. What covers new
# code is kept in .build/fuzz/corpus, so that the next run begins where this one ended.
# Exit status: 1 as soon as a target fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly work=.build/fuzz
readonly seconds=${1:-60}
shift || true
targets=("$@")
((${#targets[@]})) || targets=(Request SecretText OAuth Addresses Configuration SessionBus JSONWebToken Files Gateway)

# A folder of its own for the build: the sanitizer instruments every module, which nothing else wants. The commands are
# joined, since `set -e` does not end a function whose status is asked for.
build() {
    GITSPACE_FUZZ=1 swift build --scratch-path "$work" -c release --sanitize fuzzer -Xswiftc -enable-testing \
        --product "fuzz-$1" &&
        swiftc -sanitize=fuzzer "$work/release/libfuzz-$1.a" -o "$work/release/fuzz-$1"
}

run() {
    local limits=(-max_total_time="$seconds")
    if [[ -n ${FUZZ_RUNS:-} ]]; then
        limits=(-runs="$FUZZ_RUNS")
    elif ((seconds == 0)); then
        limits=(-runs=0)
    fi
    mkdir -p "$work/corpus/$1" "$work/findings"
    # An input that takes five seconds or half a gigabyte is a finding, too. Swift's own account of a crash would keep
    # libFuzzer from writing the input to a file.
    SWIFT_BACKTRACE=enable=no "$work/release/fuzz-$1" "${limits[@]}" -seed="${FUZZ_SEED:-0}" -max_len=4096 -timeout=5 -rss_limit_mb=512 \
        -print_final_stats=1 -verbosity=1 -reload=0 -artifact_prefix="$work/findings/$1-" \
        -dict="Tests/Fuzz/Dictionaries/$1.dict" "$work/corpus/$1" "Tests/Fuzz/Seeds/$1" >"$work/$1.log" 2>&1 ||
        { tail -n 40 "$work/$1.log" && printf 'fuzz: %s failed\n' "$1" && return 1; }
    printf 'fuzz: %-14s %s inputs\n' "$1" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$1.log")"
}

for target in "${targets[@]}"; do
    build "$target" >"$work-build.log" 2>&1 || { tail -n 40 "$work-build.log" && exit 1; }
done
for target in "${targets[@]}"; do run "$target"; done
