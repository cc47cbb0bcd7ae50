#!/usr/bin/env bash
# completions.sh: tests the offers of bash, zsh and fish at Tab; and that completions, manual and --help have the same
# verbs and options.
#
# Usage: Tests/Completions/completions.sh [BUILT]
#   BUILT  the folder of the built programs (default: .build/release, which `make completions-test` builds)
# A missing shell is a failure: packaging/dependencies.sh completions installs them.
# Exit: 0 passed, 1 failed (with a diff), 64 usage.
set -euo pipefail

# shellcheck source=Tests/Support/in-session.bash
. "$(dirname "${BASH_SOURCE[0]}")/../Support/in-session.bash"
in_private_session_with BUILT "$@"

readonly built=${1:-.build/release} share=$HOME/usr/share name=git-credential-gitspace
unset FPATH
failures=0

# compare WHAT EXPECTED ACTUAL: compares two files.
compare() {
    if diff --unified=0 --label 'should be' --label 'is' "$2" "$3"; then
        printf '  ok %s\n' "$1"
    else
        printf 'completions: FAILED: %s\n' "$1" >&2
        failures=$((failures + 1))
    fi
}

# Prints the verbs in --help, and the options in a verb's --help.
verbs() { "$name" --help | sed -n '/^SUBCOMMANDS:/,/^$/s/^  \([a-z]\{1,\}\) .*/\1/p'; }
options() {
    local form
    # `share` has a help text for each of its forms.
    for form in '' $([[ $1 != share ]] || echo ssh list stop); do
        "$name" "$1" ${form:+"$form"} --help | sed -n 's/^ *\(-h, \)\?\(--[a-z-]*\).*/\2/p'
    done | sort -u
}
own_options() { options "$1" | grep -vx -e --help || true; }
# Prints the verbs and options of the manual page's synopsis and subsections; `share` has its own page.
page_verbs() { sed -n 's/^\.SS \([a-z]\{1,\}\)$/\1/p' "$root/man/$name.1"; }
page_synopsis() {
    local page=$name
    [[ $1 != share ]] || page=gitspace-share
    # A line that begins with spaces continues the previous one.
    sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' "$root/man/$page.1" |
        awk -v verb="gitspace $1" '/^\\fB/ { mine = index($0, verb "\\fR") || index($0, verb " ") } mine' | page_options
}
# Prints the options among the items, whose names follow the line .TP.
page_items() {
    if [[ $1 == share ]]; then
        sed -n '/^\.SH OPTIONS/,/^\.SH CONFIGURATION/p' "$root/man/gitspace-share.1"
    else
        awk -v heading=".SS $1" '/^[.]S[HS]/ { mine = $0 == heading } mine' "$root/man/$name.1"
    fi | { grep -A 1 '^\.TP' || true; } | page_options
}
page_options() { sed 's/\\-/-/g' | grep -o -e '--[a-z][a-z-]*' || true; }
on_one_line() { sort | paste -s -d ' '; }

# Installs everything as `make install` does.
env -u MAKEFLAGS make --silent --no-print-directory --directory "$root" copy PREFIX="$HOME/usr" DESTDIR= built="$built"
export PATH=$HOME/usr/bin:$PATH XDG_DATA_DIRS=$share:/usr/local/share:/usr/share
export BASH_COMPLETION=/usr/share/bash-completion/bash_completion FPATH_FIRST=$share/zsh/site-functions
mkdir "$HOME/work" "$HOME/patient" && cd "$HOME/work"
# Lengthens the completions' time limit of one second, so that a busy machine does not fail the test.
printf '#!/bin/sh\nshift\nexec %s 30 "$@"\n' "$(command -v timeout)" >"$HOME/patient/timeout"
chmod +x "$HOME/patient/timeout"

# --- the same verbs and options everywhere ---------------------------------------------------------------------------

mapfile -t verbs < <(verbs)
((${#verbs[@]} >= 4)) || {
    printf 'completions: FAILED: cannot read the verbs from --help\n' >&2
    exit 1
}
printf '%s\n' "${verbs[@]}" | sort >verbs-of-help
page_verbs | sort >actual
compare 'the manual page has a subsection for each verb' verbs-of-help actual
for verb in "${verbs[@]}"; do printf '%s: %s\n' "$verb" "$(own_options "$verb" | on_one_line)"; done >options-of-help
for verb in "${verbs[@]}"; do printf '%s: %s\n' "$verb" "$(page_synopsis "$verb" | on_one_line)"; done >actual
compare 'the synopsis names the options of --help' options-of-help actual
# The page explains an option of several verbs only once.
for verb in "${verbs[@]}"; do own_options "$verb"; done | sort -u >options-of-help
for verb in "${verbs[@]}"; do page_items "$verb"; done | sort -u >actual
compare 'its subsections explain the options of --help' options-of-help actual

# --- what the shells offer -------------------------------------------------------------------------------------------

# stored HOST USERNAME: stores an account in the keyring.
stored() { printf 'protocol=https\nhost=%s\nusername=%s\npassword=x\n' "$1" "$2" | "$name" store; }
stored github.com monalisa
stored github.com alice
stored acme.ghe.com bob
# A name that would run a command if it was inserted into a line unquoted.
stored github.com "\$(touch $HOME/was-run)"
git init --quiet
mkdir folders
coproc SHARE { exec "$name" share agent --host github.com; }
while read -r line <&"${SHARE[0]}" && [[ $line != 'To stop, press Ctrl-C.' ]]; do :; done
# shellcheck disable=SC2016 # a hostile name, to the letter
git config --file .git/config remote.hostile.url 'https://github.com/$(touch was-run)'
git remote add origin https://mona:password@github.com/acme/private
git remote add other git@github.com:acme/private
# A token as the user name, of each kind that TokenShape knows, is not offered.
mapfile -t starts < <(sed -n '/static let starts = \[/,/\]/p' "$root/Sources/CredentialCore/Bytes/DisplayText.swift" |
    grep -o '"[^"]*"' | tr -d '"')
((${#starts[@]} > 10)) || {
    printf 'completions: FAILED: cannot read the shapes of tokens\n' >&2
    exit 1
}
for start in "${starts[@]}" 0123456789012345678901234567890123456; do
    git remote add "token-$start" "https://${start}abcdefghijklmnopqrst:x-oauth-basic@github.com/acme/private"
done

# Prints a line, a tab, and the expected offers.
expected() {
    local verb
    printf '%s \t%s\n' "$1" "$(on_one_line <verbs-of-help)"
    for verb in "${verbs[@]}"; do printf '%s %s --\t%s\n' "$1" "$verb" "$(options "$verb" | on_one_line)"; done
    while IFS='|' read -r line offered; do printf '%s %s\t%s\n' "$1" "$line" "$offered"; done <<'END'
--v|--version
log|login logout
logout --re|--revoke
login |acme.ghe.com github.com
status g|github.com
configure |acme.ghe.com github.com
login github.com --force --wi|--with-token
setup github.com |alice monalisa
login --force github.com m|monalisa
logout acme.ghe.com |bob
refresh github.com |alice monalisa
status acme.ghe.com b|bob
switch |acme.ghe.com github.com
switch acme.ghe.com |bob
switch github.com m|monalisa
switch alice --folder fold|folders/
END
    if grep --quiet -x check verbs-of-help; then
        printf '%s\t%s\n' "$1 check h" https://mona@github.com/acme/private
    fi
    if grep --quiet -x share verbs-of-help; then
        printf '%s\t%s\n' "$1 share " 'list ssh stop' "$1 share box --confirm " 'each never once' \
            "$1 share stop " agent "$1 share box --host " 'acme.ghe.com github.com' "$1 share box --username " 'alice bob monalisa'
    fi
}

for shell in bash zsh fish; do
    if ! command -v "$shell" >/dev/null || [[ $shell == bash && ! -e $BASH_COMPLETION ]]; then
        printf 'completions: FAILED: not installed: %s\n' "$shell" >&2
        failures=$((failures + 1))
        continue
    fi
    for form in "$name" 'git credential-gitspace'; do
        expected "$form" >table
        cut -f 1 table | PATH=$HOME/patient:$PATH "$root/Tests/Completions/ask.py" "$shell" >actual
        compare "$shell: $form" table actual
    done
    # With a stopped keyring daemon, other offers still come in time.
    kill -STOP "$KEYRING_PID"
    printf '%s\tgithub.com\n' "git credential-gitspace login " >table
    cut -f 1 table | "$root/Tests/Completions/ask.py" "$shell" >actual
    kill -CONT "$KEYRING_PID"
    compare "$shell: a keyring that hangs" table actual
done
find "$HOME" -name was-run >actual
compare 'no name in the keyring or the repository was run as a command' /dev/null actual

"$name" share stop agent
if ((failures > 0)); then exit 1; fi
printf 'completions: all checks passed\n'
