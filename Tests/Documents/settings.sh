#!/usr/bin/env bash
# settings.sh: whether the manual page and docs/configuration.md name exactly the settings of ours that the sources read.
#
# Usage: Tests/Documents/settings.sh
# Settings are the variables GITSPACE_… and the keys credential.gitspace… and credential.oauth….
# Exit: 0 they do, 1 not: "<" is what is not told of, ">" what nobody reads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly settings='\b(GITSPACE_[A-Z_]+[A-Z]|(gitspace|oauth)[A-Z][A-Za-z]+)\b'

# As literals: what is set for the C sources at build time, or is a name in Swift, is none.
read_by_sources() { grep -rhoE --include='*.swift' "\"$settings\"" Sources | tr -d '"' | sort -u; }
told_of_by() { grep -ohE "$settings" "$1" | sort -u; }

status=0
for document in man/git-credential-gitspace.1 docs/configuration.md; do
    diff <(read_by_sources) <(told_of_by "$document") || {
        printf '%s: not in step with the settings in Sources\n' "$document" >&2
        status=1
    }
done
exit "$status"
