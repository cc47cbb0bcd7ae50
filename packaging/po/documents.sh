#!/usr/bin/env bash
# documents.sh: whether the Korean README and manual page are in step with the English ones.
#
# Usage: packaging/po/documents.sh
# Compared is what does not depend on the language: the order of headings, paragraphs, rows of tables, items of lists
# and blocks of code; what is in blocks for a shell; the manual's commands, options, keys and variables. Figures between
# bench:begin and bench:end stand in English alone.
# Exit: 0 in step, 1 not (the difference is shown; the numbers are those of the sections).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Called by the name that is given to compare.
# shellcheck disable=SC2317
# A line for each part of a README; of a block for a shell, its lines.
parts_of_readme() {
    awk '
        function part(what) { print section + 0 ": " what; inside = 0 }
        /^<!-- bench:begin/ { skip = 1 }
        /^<!-- bench:end/ { skip = 0; next }
        skip || (/^<!--/ && !code) { next }
        /^```/ { code = !code; if (code) { shell = ($0 != "```"); part("block " substr($0, 4)) } next }
        code { if (shell) part($0); next }
        /^$/ { inside = 0; next }
        match($0, /^#+ /) { section++; part(substr($0, 1, RLENGTH)); next }
        /^[|]/ { part("row"); next }
        /^(-|[0-9]+[.]) / { part("item"); inside = 1; next }
        !inside { part("paragraph"); inside = 1 }' "$1"
}

# shellcheck disable=SC2317
# A line for each part of a manual page: the synopsis, and of what is listed what it is called.
parts_of_manual() {
    awk '
        function part(what) { print section + 0 ": " what }
        /^[.]Sh / { section++; part(".Sh"); next }
        /^[.]Ss / { section++; part(/ (Oo|Op|Ar|Fl|Cm) / ? $0 : ".Ss"); next }
        /^[.]Bd/ { begin = NR; next }
        /^[.]Ed/ { part("block of " NR - begin - 1 " lines"); next }
        section == 2 || /^[.](It|Bl|Rs)( |$)/ { part($0) }' "$1"
}

# compare FUNCTION ENGLISH KOREAN
compare() {
    diff -u --label "$2" --label "$3" <("$1" "$2") <("$1" "$3") && return
    printf '%s: not in step with %s\n' "$3" "$2" >&2
    status=1
}

status=0
compare parts_of_readme README.md README.ko.md
compare parts_of_manual man/git-credential-gitspace.1 man/ko/man1/git-credential-gitspace.1
exit "$status"
