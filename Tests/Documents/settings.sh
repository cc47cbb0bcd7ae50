#!/usr/bin/env bash
# settings.sh: whether gitspace-config(5) and docs/configuration.md name exactly the settings of ours that the sources
# read; one that serves to find faults is in docs/building.md instead.
#
# Usage: Tests/Documents/settings.sh
# Settings are the variables GITSPACE_… and the keys credential.gitspace…, credential.oauth… and credential.githubApp….
# Exit: 0 they do, 1 not: "<" is what is not told of, ">" what nobody reads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly settings='\b(GITSPACE_[A-Z_]+[A-Z]|(gitspace|oauth|githubApp)[A-Z][A-Za-z]+)\b'

# As literals: what is set for the C sources at build time, or is a name in Swift, is none.
read_by_sources() { grep -rhoE --include='*.swift' "\"$settings\"" Sources | tr -d '"' | sort -u; }
named_in() { grep -oE "$settings" "$@" || true; }
told_of_by() { { grep -hE "${2-}" "$1" | named_in && named_in docs/building.md; } | sort -u; }

status=0
# compare DOCUMENT [PATTERN]: of a document the lines that match, or else all.
compare() {
    diff <(read_by_sources) <(told_of_by "$@") || {
        printf '%s: not in step with the settings in Sources\n' "$1" >&2
        status=1
    }
}
compare man/gitspace-config.5
compare docs/configuration.md
# Each has its row in a table: a mere example tells nobody what it means.
compare docs/configuration.md '^[|]'
exit "$status"
