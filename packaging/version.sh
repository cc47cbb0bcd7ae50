#!/usr/bin/env bash
# version.sh: prints the version, which only Sources/FullProgram/Version.swift has, and checks the changelog.
#
# Usage: packaging/version.sh [--check | --released TAG | --notes]
#   (nothing)       prints the version
#   --check         checks that the changelog's first entry has that version, with a date or "unreleased", and that the
#                   entries below are dated and older, each lower than the one above
#   --released TAG  checks also that TAG is "v" and the version, and that the entry has a date
#   --notes         prints the changelog's entry of the version
# Exit: 0 success, 1 failure (with a message); 64 wrong usage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The changelog; tests set another one.
readonly changelog=${CHANGELOG-CHANGELOG.md}

fail() {
    printf '%s: %s\n' "${0##*/}" "$1" >&2
    exit 1
}

version=$(sed -n 's/^ *static let text = "\([0-9]*\.[0-9]*\.[0-9]*\)"$/\1/p' Sources/FullProgram/Version.swift)
[[ -n $version ]] || fail 'Sources/FullProgram/Version.swift has no version'

# Prints each entry as VERSION DATE, the first one first; a heading of another form is an error.
entries() {
    local line
    while IFS= read -r line; do
        [[ $line =~ ^'## ['([0-9]+\.[0-9]+\.[0-9]+)'] - '(unreleased|[0-9]{4}-[0-9]{2}-[0-9]{2})$ ]] ||
            fail "$changelog: not \"## [VERSION] - DATE\": $line"
        printf '%s %s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    done < <(grep '^## ' "$changelog")
}

check() {
    local number date above='' above_date='' found
    found=$(entries) || exit 1
    while read -r number date; do
        if [[ -z $above ]]; then
            [[ $number == "$version" ]] || fail "$changelog begins with $number, and the version is $version"
        else
            [[ $date != unreleased ]] || fail "$changelog: $number is below $above, and has no date"
            [[ $number != "$above" && $(printf '%s\n' "$number" "$above" | sort -V | tail -n 1) == "$above" ]] ||
                fail "$changelog: $number is below $above"
            [[ ! $date > $above_date ]] || fail "$changelog: $number is below $above, and of a later date"
        fi
        above=$number above_date=$date
    done <<<"$found"
    printf '%s\n' "$found" | head -n 1
}

case ${1-} in
'') printf '%s\n' "$version" ;;
--check) check >/dev/null ;;
--released)
    [[ ${2-} == "v$version" ]] || fail "the tag is ${2-none}, and the version is $version"
    first=$(check)
    [[ $first != *unreleased ]] || fail "$changelog: $version has no date yet"
    ;;
--notes) sed -n '/^## /{ n; :entry; /^## /q; p; n; b entry }' "$changelog" ;;
*)
    printf 'usage: %s [--check | --released TAG | --notes]\n' "${0##*/}" >&2
    exit 64
    ;;
esac
