#!/usr/bin/env bash
# world.sh: runs the tests with real programs, records the results in Tests/World/tried.jsonl, and makes docs/clients.md
# from them.
#
# Usage: Tests/World/world.sh [PART…]      browsers, clients, hosts, keyrings, sessions, share: the folders of
#                                     Tests/WorldTests (default: all)
# packaging/dependencies.sh world installs what the parts need. Programs that are missing are named in the output and in
# the table. A failed part leaves the table unchanged; the rows of other parts stay.
# Environment: GITSPACE_WORLD_TABLE   the file to write instead of docs/clients.md; the results are written beside it
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

table=${GITSPACE_WORLD_TABLE:-docs/clients.md}
record=${GITSPACE_WORLD_TABLE:+${GITSPACE_WORLD_TABLE%.md}.jsonl}
record=${record:-Tests/World/tried.jsonl}
parts=("$@")
if ((${#parts[@]} == 0)); then
    for folder in Tests/WorldTests/*/; do
        folder=$(basename "$folder")
        parts+=("${folder,}")
    done
fi
suites=()
for part in "${parts[@]}"; do
    compgen -G "Tests/WorldTests/${part^}/*.swift" >/dev/null || {
        printf 'usage: %s [browsers] [clients] [hosts] [keyrings] [sessions] [share]\n' "${0##*/}" >&2
        exit 64
    }
    suites+=("WorldTests.${part^}")
done

GITSPACE_TEST_WORLD_ROWS=$(mktemp)
export GITSPACE_TEST_WORLD_ROWS
trap 'rm -f "$GITSPACE_TEST_WORLD_ROWS"' EXIT
# Run one part at a time: the tests measure how long a person would wait.
GITSPACE_TEST_JOBS=1 Tests/Support/test.sh "${suites[@]}"
Tests/World/table.py "$GITSPACE_TEST_WORLD_ROWS" "$record" "$table" "${parts[@]}"
printf 'world: %s has what was tried\n' "$table"
