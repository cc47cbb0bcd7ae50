#!/usr/bin/env bash
# install.sh: installs into an empty folder, tries what is there, uninstalls, and finds nothing left.
#
# Usage: Tests/Install/install.sh [BUILT]
#   BUILT  the folder of the built programs (default: .build/release, which `make install-test` builds)
# Exit: 0 all as it should be, 1 not (it says what), 64 usage.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root

# First this script runs itself in a private session with a keyring; what follows this block happens in there.
if [[ ${1-} != --in-session ]]; then
    (($# <= 1)) || {
        printf 'usage: %s [BUILT]\n' "${0##*/}" >&2
        exit 64
    }
    exec "$root/Tests/Support/with-keyring.sh" "$root/Tests/Install/install.sh" --in-session "${1:-.build/release}"
fi

readonly built=$2 prefix=/opt/gitspace
readonly destination=$HOME/destination
readonly here=$destination$prefix
unset "${!GIT_@}" "${!GITSPACE_@}" "${!GCM_@}" "${!LC_@}" LANGUAGE LANG CI VSCODE_GIT_FETCH_SILENT
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
checks=0

fail() {
    printf 'install: FAILED: %s\n' "$1" >&2
    exit 1
}

# check WHAT COMMAND [ARGUMENT…]: the command must succeed.
check() {
    "${@:2}" || fail "not so: $1"
    checks=$((checks + 1))
    printf '  ok %s\n' "$1"
}

# Calls make for the installation: the variables of a make that has called this script are not for it.
run_make() {
    env -u MAKEFLAGS -u MAKEOVERRIDES make --silent --no-print-directory --directory "$root" \
        DESTDIR="$destination" PREFIX="$prefix" built="$built" "$@"
}

left() { find "$destination" ! -type d; }
prints() { [[ $("${@:2}" 2>&1) == *"$1"* ]]; }
# What the program says in a language: nothing is stored yet, and a word that it does not know.
words_in() { LC_ALL=C.UTF-8 LANGUAGE=$1 git credential-gitspace status 2>&1 || true; }
speaks() { [[ $(words_in "$1") != "$(words_in en)" ]]; }

cd "$HOME"
run_make copy
check 'everything lies below the prefix' test -z "$(left | grep --invert-match "^$here/" || true)"

# Not of this machine: what is on PATH already must not be what is tried.
export PATH=$here/bin:$PATH
git config --global credential.helper gitspace
check 'the program that git finds is the installed one' test "$(command -v git-credential-gitspace)" = \
    "$here/bin/git-credential-gitspace"
check 'it says its version' prints 'git-credential-gitspace ' git credential-gitspace --version
for catalogue in "$here"/share/locale/*/LC_MESSAGES/git-credential-gitspace.mo; do
    [[ -e $catalogue ]] || continue
    language=${catalogue#"$here/share/locale/"} language=${language%%/*}
    check "it speaks the language $language" speaks "$language"
done
printf 'url=https://git.example.com\nusername=monalisa\npassword=kept\n\n' | git credential approve
check 'what git has it keep is there again' prints 'password=kept' \
    git credential fill <<<'url=https://git.example.com'
for page in "$here"/share/man/man1/*.1 "$here"/share/man/*/man1/*.1; do
    [[ -e $page ]] || continue
    check "a manual page: ${page#"$here/"}" prints git-credential-gitspace mandoc -T markdown "$page"
done
for place in bash-completion/completions/git-credential-gitspace zsh/site-functions/_git-credential-gitspace \
    fish/vendor_completions.d/git-credential-gitspace.fish fish/vendor_conf.d/git-credential-gitspace.fish; do
    check "a completion: share/$place" test -s "$here/share/$place"
done

touch "$here/bin/of-somebody-else"
run_make uninstall
check 'what is not ours is still there' test -e "$here/bin/of-somebody-else"
rm "$here/bin/of-somebody-else"
check 'nothing of ours is left' test -z "$(left)"
printf 'install: %d checks, all as they should be\n' "$checks"
