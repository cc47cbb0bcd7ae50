#!/usr/bin/env bash
# test.sh: runs all tests; those with a keyring start private sessions, those with GitHub start the stand-in.
#
# Usage: Tests/Support/test.sh [SUITE…]      (default: every test target; of WorldTests, which
#                                             Tests/World/world.sh runs, only those over ssh)
#   SUITE is a test target, TYPE or TARGET.TYPE for the suites in a type, TYPE/SUITE, or TYPE/TEST for one function.
# A newer git than the system's is used as well if `make newer-git` has built one. GITSPACE_TEST_PROGRAM=/PREFIX/bin/…
# tests an installed program instead of the one built with the tests. GITSPACE_TEST_JOBS=1 runs one suite at a time.
# GITSPACE_TEST_KEEP=1 keeps the folders of the private sessions, and prints their paths; GITSPACE_TEST_TRACE=1 does
# too, and the program writes a trace into each. If CI is set, a skipped test that Tests/Support/allowed-skips does not
# name is a failure.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."

# The time limit of a suite in seconds; the slowest takes a sixth of it, and two thirds beside two more runs.
readonly patience=1200

# A run that is interrupted or killed leaves nothing running.
if [[ ${1:-} != --one && -z ${GITSPACE_TEST_RUN-} ]]; then
    GITSPACE_TEST_RUN=1 exec "$here/lifeline.py" "$here/${0##*/}" "$@"
fi

# A trace is in a session's folder, which must therefore be kept.
if [[ -n ${GITSPACE_TEST_TRACE-} ]]; then export GITSPACE_TEST_KEEP=1; fi

# A failed suite is not repeated. Skipped tests are listed at the end with their reasons.

# Each suite runs in its own process: suites that start children by different means would wait for each other's. Two run
# at a time, since they mostly wait. The output of a suite stays together; without a failure, one line of it is shown.
if [[ ${1:-} == --one ]]; then
    suite=$2
    output=$(mktemp)
    trap 'rm -f "$output"' EXIT
    begun=$SECONDS
    result=passed
    # Not `swift test`, since two of them run one after the other. A suite without tests is a failure.
    # In the foreground, so that Ctrl-C reaches it; with-keyring.sh ends everything that the suite has started.
    if timeout --foreground "$patience" "$here/with-keyring.sh" .build/debug/git-credential-gitspacePackageTests.xctest \
        --testing-library swift-testing --filter "^${suite/./\\.}[./(]" >"$output" 2>&1 &&
        grep -q 'Test run with [1-9]' "$output"; then
        grep '^session: kept' "$output" || true
        # Tests of a second or more, measured by their sessions; Swift Testing's times include the wait for a permit.
        slowest=$(sed -n -E 's/^session: ([0-9]+ s: .*)/\1/p' "$output" | sort -rn | sed -n 1,5p)
        [[ -n $slowest ]] ||
            slowest=$(sed -n -E 's/^.* (Suite .*) passed after ([1-9][0-9]*)\.[0-9]+ seconds\.$/\2 s: \1/p' "$output" |
                sort -rn | sed -n 1,5p)
        [[ -z $slowest ]] || printf '%s\n' "$slowest"
        grep '^.* Test run with' "$output"
    else
        result=FAILED
        cat "$output"
        # Why a test in a process of its own ended by a signal (GitHome), printed once.
        for errors in "${TMPDIR:-/tmp}"/configuration-*/errors; do
            [[ ! -s $errors || ! -O $errors ]] || { cat "$errors" && rm -r "${errors%/*}"; }
        done
    fi
    printf 'test: %s %s after %d s\n' "$suite" "$result" "$((SECONDS - begun))"
    # The line of Swift Testing, and of Staging's `Skipped`: `➜ Test NAME skipped: "WHY"`
    sed -n -E "s/\x1b\[[0-9;]*m//g; s/^➜ +(Test|Suite|Case) (.*) skipped(\.|: )/${suite%%.*}: \2: /p" "$output" >>"$results/skipped"
    [[ $result == passed ]] || printf '%s\n' "$suite" >>"$results/failed"
    exit 0
fi

# The version of the libcurl that git loads, which may be newer than the one that it was built with: libcurl/8.23.0
libcurl_of_git() {
    ldd "$(git --exec-path)/git-remote-https" | awk '$1 ~ /^libcurl/ {print $3}' |
        xargs --no-run-if-empty grep -aohE 'libcurl/[0-9]+(\.[0-9]+)+' | sed -n 1p
}

# holds WORD: whether a condition of Tests/Support/allowed-skips is true here.
holds() {
    case $1 in
    chroot) ((EUID == 0)) && ! unshare --mount true ;;
    incomplete) [[ -z ${CI:-} ]] ;;
    kernel) [[ $(printf '6.12\n%s\n' "$(uname -r)" | sort -V | head -n 1) != 6.12 ]] ;;
    libcurl) [[ $(printf 'libcurl/8.23\n%s\n' "$(libcurl_of_git)" | sort -V | sed -n 1p) == libcurl/8.23 ]] ;;
    login) ((EUID == 0)) && [[ -e /run/user/0 ]] ;;
    no-ipv6) [[ $(cat /proc/sys/net/ipv6/conf/lo/disable_ipv6 2>&1) != 0 ]] ;;
    old-swift) [[ -s $results/left-out ]] ;;
    programs) [[ -n ${GITSPACE_TEST_WORLD_ROWS-} ]] ;;
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

# An ordinary user tests what another user, such as root in .ci/run, has built here; with GITSPACE_TEST_BUILT=1, all do.
if [[ -z ${GITSPACE_TEST_BUILT-} && (! -e .build || -w .build) ]]; then
    swift build --build-tests
    packaging/po/catalogue.sh build "$(realpath .build/debug)/../share/locale"
fi

# whole_name TYPE: TARGET.TYPE, since skips are allowed by target.
whole_name() {
    local file
    [[ ! -d Tests/${1%%[./]*} ]] || { printf '%s\n' "$1" && return; }
    file=$(grep -rlE "^(struct|final class|extension) ${1%%/*}\b" Tests/*Tests | sed -n 1p)
    [[ -n $file ]] || { printf 'test: there are no tests called %s\n' "$1" >&2 && exit 64; }
    cut -d/ -f2 <<<"$file" | sed "s|\$|.$1|"
}

suites=()
for name in "$@"; do suites+=("$(whole_name "$name")"); done
# The slowest suites run first.
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
