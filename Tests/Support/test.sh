#!/usr/bin/env bash
# test.sh: runs every test: those that need a keyring start private ones, those that need GitHub the stand-in.
#
# Usage: Tests/Support/test.sh [SUITE…]      (default: every test target; of WorldTests, which Tests/World/world.sh runs,
#                                             only those over ssh)
#   SUITE is a test target, TYPE or TARGET.TYPE for the suites in a type, TYPE/SUITE, or TYPE/TEST for one function.
# A newer git than the system's is used as well if `make newer-git` has built one. GITSPACE_TEST_PROGRAM=/PREFIX/bin/…
# tries an installed program instead of the one that was built with the tests. GITSPACE_TEST_JOBS=1 runs one suite at a
# time. GITSPACE_TEST_KEEP=1 keeps the folders of the private sessions and prints where they are; GITSPACE_TEST_TRACE=1
# does, too, and the program writes a trace into each. Where CI is set, a test that is skipped and not in Tests/Support/allowed-skips is a failure.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

# Seconds after which a suite that hangs has failed; the slowest takes a sixth, and two thirds beside two more runs.
readonly patience=1200

# A trace is of no use without the folder that it is in.
if [[ -n ${GITSPACE_TEST_TRACE-} ]]; then export GITSPACE_TEST_KEEP=1; fi

# A suite that has failed has failed: nothing is tried twice. What was left out, and why, is named in the last lines.

# Each suite has a process of its own: those that start children by different means take each other's endings away.
# Two at a time, since most of them wait most of the time. What one prints stays together; one line of it is enough
# where nothing is wrong.
if [[ ${1:-} == --one ]]; then
    suite=$2
    output=$(mktemp)
    trap 'rm -f "$output"' EXIT
    begun=$SECONDS
    result=passed
    # Not by `swift test`, which keeps a second one waiting until the first has ended. No test is no success.
    if timeout "$patience" "$here/with-keyring.sh" .build/debug/git-credential-gitspacePackageTests.xctest \
        --testing-library swift-testing --filter "^${suite/./\\.}[./(]" >"$output" 2>&1 &&
        grep -q 'Test run with [1-9]' "$output"; then
        grep '^session: kept' "$output" || true
        # What takes a second or longer: in sessions, each test by itself, since the others include the wait for a permit.
        slowest=$(sed -n -E 's/^session: ([0-9]+ s: .*)/\1/p' "$output" | sort -rn | sed -n 1,5p)
        [[ -n $slowest ]] ||
            slowest=$(sed -n -E 's/^.* (Suite .*) passed after ([1-9][0-9]*)\.[0-9]+ seconds\.$/\2 s: \1/p' "$output" |
                sort -rn | sed -n 1,5p)
        [[ -z $slowest ]] || printf '%s\n' "$slowest"
        grep '^.* Test run with' "$output"
    else
        result=FAILED
        cat "$output"
    fi
    printf 'test: %s %s after %d s\n' "$suite" "$result" "$((SECONDS - begun))"
    # In the words of Swift Testing, and of Staging's `Skipped` for what is no test: `➜ Test NAME skipped: "WHY"`
    sed -n -E "s/\x1b\[[0-9;]*m//g; s/^➜ +(Test|Suite|Case) (.*) skipped(\.|: )/${suite%%.*}: \2: /p" "$output" >>"$results/skipped"
    [[ $result == passed ]] || printf '%s\n' "$suite" >>"$results/failed"
    exit 0
fi

# Whether a word of Tests/Support/allowed-skips is true here.
holds() {
    case $1 in
    chroot) ((EUID == 0)) && ! unshare --mount true ;;
    incomplete) [[ -z ${CI:-} ]] ;;
    kernel) [[ $(printf '6.12\n%s\n' "$(uname -r)" | sort -V | head -n 1) != 6.12 ]] ;;
    login) ((EUID == 0)) && [[ -e /run/user/0 ]] ;;
    old-swift) [[ -s $results/left-out ]] ;;
    programs) ((named > 0)) ;;
    sealed) ! "$here/as-cron.sh" - true ;;
    systemd) [[ -d /run/systemd/system ]] ;;
    unfetched) [[ ! -e .build/openid-provider/done ]] ;;
    user) ((EUID != 0)) ;;
    *)
        printf 'test: allowed-skips: no such word: %s\n' "$1" >&2
        exit 1
        ;;
    esac
}

swift build --build-tests
packaging/po/catalogue.sh build "$(realpath .build/debug)/../share/locale"

# With the target that it is in, by which skips are allowed: TARGET.TYPE for TYPE.
whole_name() {
    local file
    [[ ! -d Tests/${1%%[./]*} ]] || { printf '%s\n' "$1" && return; }
    file=$(grep -rlE "^(struct|final class|extension) ${1%%/*}\b" Tests/*Tests | sed -n 1p)
    [[ -n $file ]] || { printf 'test: there are no tests called %s\n' "$1" >&2 && exit 64; }
    cut -d/ -f2 <<<"$file" | sed "s|\$|.$1|"
}

suites=()
for name in "$@"; do suites+=("$(whole_name "$name")"); done
named=$#
# The slowest first.
((${#suites[@]} > 0)) || mapfile -t suites < <("$here/suites.py" |
    sed 's|^WorldTests$|&.Share/SSHTests|' |
    awk '/^(EndToEnd|Fault|Keyrings)/ {print "0 " $0; next} {print "1 " $0}' | sort -s -k1,1 | cut -d' ' -f2)
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export results
"$here/suites.py" --left-out | tee "$results/left-out" >"$results/skipped"
while read -r where what; do
    [[ -z $where || $where == '#'* ]] || ! holds "$where" || printf '%s\n' "$what"
done <"$here/allowed-skips" >"$results/allowed"
printf '%s\n' "${suites[@]}" | xargs -P "${GITSPACE_TEST_JOBS:-2}" -I SUITE "$here/test.sh" --one SUITE
if [[ -s $results/skipped ]]; then
    printf 'test: skipped (how often, in which suite, what, why):\n'
    sort "$results/skipped" | uniq -c
fi
printf 'test: %d skipped\n' "$(wc -l <"$results/skipped")"
if unexpected=$(grep -vxEf "$results/allowed" "$results/skipped" | sort -u); then
    printf 'test: skipped, and not in Tests/Support/allowed-skips for here:\n%s\n' "$unexpected"
    [[ -z ${CI:-} ]] || printf 'a test that must not be skipped\n' >>"$results/failed"
fi
if [[ -s $results/failed ]]; then
    printf 'test: FAILED, see above: %s\n' "$(paste -sd ' ' "$results/failed")"
    exit 1
fi
printf 'test: all passed: %s\n' "${suites[*]}"
