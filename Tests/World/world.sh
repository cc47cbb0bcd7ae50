#!/usr/bin/env bash
# world.sh: runs the tests with the real programs, keeps what came of it in Tests/World/tried.jsonl, and writes
# docs/clients.md from that.
#
# Usage: Tests/World/world.sh [PART…]      browsers, clients, hosts, keyrings, sessions, share: the folders of
#                                     Tests/WorldTests (default: all)
# What a part needs is installed by packaging/dependencies.sh world. What this machine lacks is named, in the output and
# in the table. A part that failed leaves the table as it was; rows of parts that were not run stay.
# Environment: GITSPACE_WORLD_TABLE   the file to write instead of docs/clients.md; what came of it is kept beside it
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
# One part at a time: they measure how long a person would wait.
GITSPACE_TEST_JOBS=1 Tests/Support/test.sh "${suites[@]}"
Tests/World/table.py "$GITSPACE_TEST_WORLD_ROWS" "$record" "$table" "${parts[@]}"
printf 'world: %s has what was tried\n' "$table"
