#!/usr/bin/env bash
# install.sh: installs into an empty folder, tries the programs, uninstalls, and checks that nothing is left.
#
# Usage: Tests/Install/install.sh [BUILT]
#   BUILT  the folder of the built programs (default: .build/release, which `make install-test` builds)
# Exit: 0 passed, 1 failed (with a message), 64 usage.
set -euo pipefail

# shellcheck source=Tests/Support/in-session.bash
. "$(dirname "${BASH_SOURCE[0]}")/../Support/in-session.bash"
in_private_session_with BUILT "$@"

readonly built=${1:-.build/release} prefix=/opt/gitspace
readonly destination=$HOME/destination
readonly installed=$destination$prefix said=$HOME/said
export GIT_TERMINAL_PROMPT=0

# Runs make for the installation, without the variables of an outer make.
run_make() {
    env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory --directory "$root" \
        DESTDIR="$destination" PREFIX="$prefix" built="$built" "$@"
}

builds() { [[ $(run_make --dry-run "$@") == *'swift build'* ]]; }
left() { find "$destination" ! -type d; }
# Whether make's output has at most as many terminal lines as files were touched.
is_short() { (($(fold --width=80 "$said" | wc --lines) <= files)); }
# Prints the last line of the output.
last() { tail --lines=1 "$said"; }
# Prints the program's texts in a language: an empty status, and an unknown word.
words_in() { LC_ALL=C.UTF-8 LANGUAGE=$1 git credential-gitspace status 2>&1 || true; }
speaks() { [[ $(words_in "$1") != "$(words_in en)" ]]; }

cd "$HOME"
check 'make install builds if nothing was built' builds install built="$HOME/nowhere"
check 'it installs what was built, whatever client ID it is given' not builds install GITHUB_CLIENT_ID=Iv1.other
run_make --dry-run >"$said"
check 'make ends with the next step' prints 'make install' last
run_make --dry-run install built="$HOME/nowhere" >"$said"
check 'which is another one where it installs as well' not grep --quiet 'make install' "$said"
run_make copy >"$said"
files=$(left | wc --lines)
check 'make install prints one line a file at most' is_short
check 'and ends with the next step' prints 'git credential-gitspace setup' last
check 'everything lies below the prefix' test -z "$(left | grep --invert-match "^$installed/" || true)"

# Use the installed programs, not those on this machine's PATH.
export PATH=$installed/bin:$PATH
git config --global credential.helper gitspace
check 'the program that git finds is the installed one' test "$(command -v git-credential-gitspace)" = \
    "$installed/bin/git-credential-gitspace"
check 'it says its version' prints 'git-credential-gitspace ' git credential-gitspace --version
for catalogue in "$installed"/share/locale/*/LC_MESSAGES/git-credential-gitspace.mo; do
    [[ -e $catalogue ]] || continue
    language=${catalogue#"$installed/share/locale/"} language=${language%%/*}
    check "it speaks the language $language" speaks "$language"
done
printf 'url=https://git.example.com\nusername=monalisa\npassword=kept\n\n' | git credential approve
check 'what git has it keep is there again' prints 'password=kept' \
    git credential fill <<<'url=https://git.example.com'
# The title of a page as `man` shows it, in capitals like git's own: NAME(SECTION).
title() {
    local name=${1##*/}
    printf '%s(%s)' "$(tr '[:lower:]' '[:upper:]' <<<"${name%.*}")" "${name##*.}"
}
for page in man1/git-credential-gitspace.1 man1/gitspace-share.1 man5/gitspace-config.5; do
    for place in "$installed"/share/man/"$page" "$installed"/share/man/*/"$page"; do
        check "a manual page: ${place#"$installed/"}" prints "$(title "$page")" mandoc -T utf8 "$place"
    done
done
for place in bash-completion/completions/git-credential-gitspace zsh/site-functions/_git-credential-gitspace \
    fish/vendor_completions.d/git-credential-gitspace.fish fish/vendor_conf.d/git-credential-gitspace.fish; do
    check "a completion: share/$place" test -s "$installed/share/$place"
done

# systemd's folder of units below a prefix; for ~/.local another one than for /usr.
readonly units_folder=share/systemd/user
readonly units=$installed/$units_folder
looks_into() { systemd-analyze --user unit-paths | grep -qxF "$1/$units_folder"; }
if command -v systemd-analyze >/dev/null; then
    for place in "$HOME/.local" /usr/local /usr; do check "systemd finds the units below $place" looks_into "$place"; done
fi
check 'the unit starts the installed program' grep -qx \
    "ExecStart=$prefix/libexec/git-credential-gitspace-full share --serve %i" "$units/gitspace-share@.service"
check 'the unit makes the socket for its owner alone' \
    test "$(grep -cxE 'SocketMode=0600|DirectoryMode=0700' "$units/gitspace-share@.socket")" = 2
check 'no unit is enabled' test -z "$(find "$destination" -name '*.wants')"

touch "$installed/bin/of-somebody-else"
run_make uninstall >"$said"
check 'make uninstall prints one line a file at most' is_short
check 'what is not ours is still there' test -e "$installed/bin/of-somebody-else"
rm "$installed/bin/of-somebody-else"
check 'nothing of ours is left' test -z "$(left)"
# Prints the package manager's messages about the manifest, without compiling.
plan() {
    # A path without make's copies, which would leave pkg-config.sh nothing to copy.
    local -x PKG_CONFIG_PATH=$HOME/pkgconfig
    "$root/packaging/pkg-config.sh" "$PKG_CONFIG_PATH"
    swift build --package-path "$root" --configuration release \
        --print-manifest-job-graph >"$said" 2>&1
}
check 'the package can be built' plan
check 'it has no warnings of its own' not grep 'warning:' "$said"

printf 'install: %d checks, all passed\n' "$checks"
