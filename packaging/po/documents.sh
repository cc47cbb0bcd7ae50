#!/usr/bin/env bash
# documents.sh: checks that the Korean README and manual pages match the English ones, and the screens in the READMEs
# match the program.
#
# Usage: packaging/po/documents.sh
# Compares everything that does not depend on the language: the order of headings, paragraphs, table rows, list items
# and code blocks; the contents of shell blocks; the manual's commands, options, keys and variables. Only the English
# has figures between bench:begin and bench:end. The program's output in the text of the picture must be in the
# catalogue.
# Exit: 0 they match, 1 they differ (with the differences, or texts that are in no catalogue).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# Letters of every language count.
export LC_ALL=C.UTF-8

# Called by the name that compare gets.
# shellcheck disable=SC2317
# Prints a line for each part of a README; the whole contents of shell blocks.
parts_of_readme() {
    awk '
        function part(what) { print NR ": " what; inside = 0 }
        /^<!-- bench:begin/ { skip = 1 }
        /^<!-- bench:end/ { skip = 0; next }
        skip || (/^<!--/ && !code) { next }
        /^```/ { code = !code; if (code) { shell = ($0 != "```"); part("block " substr($0, 4)) } next }
        code { if (shell) part($0); next }
        /^$/ { inside = 0; next }
        match($0, /^#+ /) { part(substr($0, 1, RLENGTH)); next }
        /^[|]/ { part("row " quoted($0)); next }
        /^(-|[0-9]+[.]) / { part("item"); inside = 1; next }
        !inside { part("paragraph"); inside = 1 }
        # The quoted words of the first cell: a command, a setting, a message in English.
        function quoted(row,   cell, pieces, count, i, found) {
            gsub(/…/, "", row)
            split(row, cell, / [|] /)
            count = split(cell[1], pieces, "`")
            for (i = 2; i <= count; i += 2) if (pieces[i] ~ /^[ -~]+$/) found = pieces[i]
            return found
        }' "$1"
}

# shellcheck disable=SC2317
# Prints a line for each part of a manual page: synopsis, headings of verbs, names of list items, blocks.
parts_of_manual() {
    awk '
        function part(what) { print NR ": " what }
        named { named = 0; part($0); next }
        /^[.]SH / { section++; part(".SH"); next }
        /^[.]SS / { part(/^[.]SS [a-z]+$/ ? $0 : ".SS"); next }
        /^[.]TP/ { named = 1; next }
        /^[.]EX/ { begin = NR; next }
        /^[.]EE/ { part("block of " NR - begin - 1 " lines"); next }
        section == 2 || /^[.](PP|IP|RS)( |$)/ { part($0) }' "$1"
}

# compare FUNCTION ENGLISH KOREAN
compare() {
    local english korean different=0 file number
    english=$("$1" "$2")
    korean=$("$1" "$3")
    while read -r file number; do
        printf '%s:%s\n' "$file" "$(sed -n "${number}p" <<<"$([[ $file == "$2" ]] && echo "$english" || echo "$korean")")" >&2
        different=1
    done < <(diff --unchanged-line-format= --old-line-format="$2 %dn"$'\n' --new-line-format="$3 %dn"$'\n' \
        <(cut -d ' ' -f 2- <<<"$english") <(cut -d ' ' -f 2- <<<"$korean"))
    ((different == 0)) || {
        printf '%s: not in step with %s\n' "$3" "$2" >&2
        status=1
    }
}

# shellcheck disable=SC2016
# The catalogue's texts as patterns, in English (msgid) or the language (msgstr), except those that are only
# placeholders.
patterns() {
    msgcat --no-wrap packaging/po/ko.po | sed -nE "s/^$1 \"(.*)\"\$/\1/p" | grep '[[:alpha:]]\{2\}' |
        sed -E -e 's/\\"/"/g' -e 's/[][\.*^$()+?{}|]/\\&/g' -e 's/%[0-9]\\\$s/.+/g'
}

# recorded README FIELD: prints the second line of git's clone up to the end of the sign-in, without address and code.
recorded() {
    local stale
    stale=$(sed '1,/^<!-- recording:LAST:begin/d; /^✓/q' "$1" | sed 1,3d |
        grep -vxE -e '|  .*' -f <(patterns "$2") || true)
    [[ -z $stale ]] || {
        printf '%s: the program does not say "%s": make recording\n' "$1" "$stale" >&2
        status=1
    }
}

status=0
recorded README.md msgid
recorded README.ko.md msgstr
compare parts_of_readme README.md README.ko.md
for page in man1/git-credential-gitspace.1 man1/gitspace-share.1 man5/gitspace-config.5; do
    compare parts_of_manual "man/${page#*/}" "man/ko/$page"
done
exit "$status"
