#!/usr/bin/env bash
# settings.sh: checks that gitspace-config(5) lists exactly the settings that the sources read, in each language, and
# that no other document names a setting that they do not read. What only helps to find faults is in docs/building.md.
#
# Usage: Tests/Documents/settings.sh
# Settings are the variables GITSPACE_…, the keys credential.gitspace…, credential.oauth… and credential.githubApp…, and
# the keys of gitspace-share.NAME.
# Exit: 0 so, 1 not: "<" is a setting that has no entry in the manual, ">" an entry that nobody reads.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly settings='\b(GITSPACE_[A-Z_]+[A-Z]|(gitspace|oauth|githubApp)[A-Z][A-Za-z]+|gitspace-share\.NAME\.[A-Za-z]+)\b'
# Variables of the tests and scripts, which CONTRIBUTING.md names.
readonly others='GITSPACE_(TEST|WORLD|WARNINGS|FUZZ)'

# The keys are the cases of SettingKey. Variables are literals: other matches are what is set for the C sources at build
# time.
read_by_sources() {
    {
        sed -nE 's/^    case ((gitspace|oauth|githubApp)[A-Za-z]+)$/\1/p' Sources/CredentialCore/Configuration/SettingKey.swift
        grep -rhoE --include='*.swift' '"GITSPACE_[A-Z_]+[A-Z]"' Sources | tr -d '"'
        sed -n '/switch entry.key/,/default:/s/^ *case "\([a-z]*\)".*/gitspace-share.NAME.\1/p' Sources/Share/Plan/ShareSettings.swift
    } | sort -u
}
# The keys of shares in lower case, as the sources have them.
named_in() {
    sed -E 's/\\f[BIR]//g; s/\\-/-/g' "$@" | grep -oE "$settings" | sed -E 's/(gitspace-share\.NAME\.)(.*)/\1\L\2/' | sort -u
}

status=0
fail() {
    printf '%s\n' "$1" >&2
    status=1
}
known=$(read_by_sources)
for page in man/gitspace-config.5 man/*/man5/gitspace-config.5; do
    # The names of entries are in the line below each .TP.
    entries=$(grep -A 1 '^\.TP' "$page" | named_in)
    diff <(printf '%s\n' "$known" | grep -vxF "$(named_in docs/building.md)") <(printf '%s\n' "$entries") ||
        fail "$page: not in step with the settings in Sources"
done
mapfile -t documents < <(git ls-files --cached --others --exclude-standard '*.md' 'man/*.[15]')
unknown=$(named_in "${documents[@]}" | grep -vE "^$others" | grep -vxF "$known" || true)
[[ -z $unknown ]] || fail "no source reads these settings, which documents name: $(grep -lF "$unknown" "${documents[@]}" | paste -s -d ' '): $unknown"
# Each value of a setting that takes one of several.
while read -r value; do
    grep -qw -- "$value" <(sed 's/\\f[BIR]//g' man/gitspace-config.5) || fail "man/gitspace-config.5: does not name the value $value"
done < <(grep -oE '\.word\(\[[^]]*\]' Sources/CredentialCore/Configuration/SettingKey.swift | grep -oE '"[a-z]+"' | tr -d '"')
exit "$status"
