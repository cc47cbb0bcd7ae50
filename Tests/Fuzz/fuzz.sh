#!/usr/bin/env bash
# fuzz.sh: tests the parsers with random and hostile input, and checks properties that hold for every input (libFuzzer).
#
# Usage: Tests/Fuzz/fuzz.sh [SECONDS [TARGET…]]     (default: 60 seconds for each target)
#   SECONDS  for each target; 0 only runs the known inputs: seeds and findings
#   TARGET   Request, SecretText, OAuth, Addresses, Configuration, SessionBus, JSONWebToken, Files, Gateway (default: all)
# Environment: FUZZ_RUNS, the number of inputs for each target, instead of a time; FUZZ_SEED, to repeat a run
# A finding is written to .build/fuzz/findings; add it to Tests/Fuzz/Seeds together with its fix. Inputs that cover new
# code are kept in .build/fuzz/corpus, where the next run continues.
# Exit status: 1 as soon as a target fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly work=.build/fuzz
readonly seconds=${1:-60}
shift || true
targets=("$@")
((${#targets[@]})) || targets=(Request SecretText OAuth Addresses Configuration SessionBus JSONWebToken Files Gateway)

# Builds into a folder of its own, because the sanitizer instruments every module, and without optimization, which takes
# longer than what it would save. Each command returns its failure, since `set -e` does not apply to a function whose
# status is tested.
build() {
    # An archive that is there keeps the objects of removed files.
    rm -f "$work/debug/libfuzz.a"
    GITSPACE_FUZZ=1 swift build --scratch-path "$work" --disable-index-store --sanitize fuzzer -Xswiftc -Onone \
        --product fuzz || return
    local target files
    for target in "${targets[@]}"; do
        files=("Tests/Fuzz/${target}Target"/*.swift)
        files=("${files[@]/#*\//$work/debug/${target}Target.build/}")
        # The linker takes from the archive only what these objects use, and so none of another target.
        swiftc -sanitize=fuzzer "${files[@]/%/.o}" "$work/debug/libfuzz.a" -o "$work/debug/fuzz-$target" || return
    done
}

run() {
    local limits=(-max_total_time="$seconds")
    if [[ -n ${FUZZ_RUNS:-} ]]; then
        limits=(-runs="$FUZZ_RUNS")
    elif ((seconds == 0)); then
        limits=(-runs=0)
    fi
    mkdir -p "$work/corpus/$1" "$work/findings"
    # An input that takes five seconds or half a gigabyte is a finding too. Swift's own crash handler would keep
    # libFuzzer from writing the input to a file.
    SWIFT_BACKTRACE=enable=no "$work/debug/fuzz-$1" "${limits[@]}" -seed="${FUZZ_SEED:-0}" -max_len=4096 -timeout=5 -rss_limit_mb=512 \
        -print_final_stats=1 -verbosity=1 -reload=0 -artifact_prefix="$work/findings/$1-" \
        -dict="Tests/Fuzz/Dictionaries/$1.dict" "$work/corpus/$1" "Tests/Fuzz/Seeds/$1" >"$work/$1.log" 2>&1 ||
        { tail -n 40 "$work/$1.log"; printf 'fuzz: %s failed\n' "$1"; return 1; }
    printf 'fuzz: %-14s %s inputs\n' "$1" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$1.log")"
}

mkdir -p "$work"
build >"$work-build.log" 2>&1 || { tail -n 40 "$work-build.log"; exit 1; }
for target in "${targets[@]}"; do run "$target"; done
