#!/usr/bin/env bash
# conformance.sh: runs git's own tests of credential helpers with ours: t0303-credential-external.sh, and
# helper_test_authtype, which that script does not call.
#
# Usage: Tests/Conformance/conformance.sh [FOLDER]
#   FOLDER has git-credential-gitspace and the full program (default .build/release).
#   The TAP output of git's tests goes to stdout, followed by `conformance: 21 of 21 passed` and `conformance, authtype:
#   8 of 8 passed`. Details go to stderr if a test failed. Exit: 0 all passed, 1 otherwise.
# Environment: GIT_TEST_CREDENTIAL_HELPER  the helper to test instead, as in git's configuration: a name, found as
#                                          git-credential-NAME in FOLDER or beside git, or an absolute path
#
# Each run has its own keyring, home and output folder. git's script isolates the configuration: it ignores the
# system-wide file, and uses a scratch folder as HOME.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
readonly here root
readonly helper=${GIT_TEST_CREDENTIAL_HELPER:-gitspace}
fail() {
    printf 'conformance: %s\n' "$1" >&2
    exit 1
}

folder=$(cd "${1:-$root/.build/release}" 2>/dev/null && pwd) || fail "no such folder: ${1:-.build/release} (build first)"
case $helper in
/*) [[ -x $helper ]] || fail "no such helper: $helper" ;;
gitspace) [[ -x $folder/git-credential-gitspace ]] || fail "no git-credential-gitspace in $folder (build first)" ;;
esac

wrappers=$("$here/newer-git.sh" | tail -n 1)

output=$(mktemp -d)
trap 'rm -rf "$output"' EXIT

all_passed=true

# Runs one test script.
conform() { # NAME SCRIPT NUMBER
    local status=0 total passed
    # Output goes to files instead of pipes: a daemon that a helper leaves behind would keep a pipe open, and block this
    # script.
    (
        cd "$wrappers/../t"
        PATH=$folder:$PATH GIT_TEST_CREDENTIAL_HELPER=$helper TEST_OUTPUT_DIRECTORY=$output \
            "$root/Tests/Support/with-keyring.sh" "$2" --verbose-log --root="$output"
    ) >"$output/tap" 2>"$output/messages" || status=$?

    cat "$output/tap"
    # TAP counts a skipped test as "ok"; here it does not count.
    total=$(grep -cE '^(not )?ok ' "$output/tap" || true)
    passed=$(grep -E '^ok ' "$output/tap" | grep -vc ' # skip' || true)
    if ((status != 0)); then
        cat "$output/messages" "$output"/test-results/*.out >&2 || true
    fi
    printf '%s: %d of %d passed\n' "$1" "$passed" "$total"
    ((status == 0 && passed == total && passed >= $3)) || all_passed=false
}

# The numbers of tests since git 2.43 and 2.48; with fewer, part of the protocol is untested.
conform conformance ./t0303-credential-external.sh 21
conform 'conformance, authtype' "$here/authtype.sh" 8
$all_passed
