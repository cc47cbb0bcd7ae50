#!/usr/bin/env bash
# demo.sh: shows the main tasks as a person sees them, step by step, and checks each step.
#
# Uses real git over real TLS, a real keyring (gnome-keyring), and a stand-in for GitHub on loopback, to which a proxy
# leads requests for https://github.com. Needs no account and no network, and leaves the person's keyring, home
# directory and git configuration alone.
#
# Usage: Tests/Demo/demo.sh [PROGRAM]
#   PROGRAM  the helper to show (default: .build/release/git-credential-gitspace, which `make demo` builds)
# The first git on PATH is used: with PATH="$(Tests/Conformance/newer-git.sh):$PATH" it is a newer one.
# Exit: 0 all steps passed, 1 a step failed (with a message), 64 usage.
set -euo pipefail

# shellcheck source=Tests/Support/in-session.bash
. "$(dirname "${BASH_SOURCE[0]}")/../Support/in-session.bash"
in_private_session_with PROGRAM "$@"

helper=$(realpath -s -- "${1:-$root/.build/release/git-credential-gitspace}")
readonly helper
readonly repository=https://github.com/acme/private
# The output of the last command on the person's terminal, and of all commands.
readonly screen=$HOME/screen
readonly screens=$HOME/screens

# The shell that `script` uses for commands.
export SHELL=/bin/sh
PATH=$(dirname "$helper"):$PATH

bold='' plain=''
if [[ -t 1 && ${TERM:-dumb} != dumb && -z ${NO_COLOR-} ]]; then
    bold=$'\e[1m' plain=$'\e[0m'
fi
step=0

heading() { printf '\n%s%d. %s%s\n' "$bold" "$((step += 1))" "$1" "$plain"; }
remark() { printf '# %s\n' "$@"; }
type_in() { printf '%s%s $ %s%s\n' "$bold" "${PWD/#"$HOME"/\~}" "$1" "$plain"; }

fail() {
    printf '\ndemo: FAILED in step %d: %s\n' "$step" "$1" >&2
    exit 1
}

# count DEVICE_CODES: how often the stand-in has counted an event.
count() { control GET /counts | sed -n "s/^$1=//p"; }
counted() { [[ $(count "$1") == "$2" ]]; }

shown() { grep --quiet --fixed-strings -- "$1" "$screen"; }
nothing_shown() { [[ ! -s $screen ]]; }

# Prints the final screen for a pipe or a file: no overwritten text, no control sequences.
as_seen() {
    if [[ -t 1 ]]; then cat; else sed --unbuffered -e 's/\r*$//' -e 's/.*\r//' -e 's/\x1b\[[0-9;]*[A-Za-z]//g'; fi
}

# run COMMAND [LOGIN]: runs a command on its own terminal, and shows it as a person sees it. With LOGIN, a person
# approves the code that appears on the screen, as that account.
run() {
    local status=0 approver=''
    type_in "$1"
    : >"$screen.raw"
    {
        if [[ -n ${2-} ]]; then
            approve_as "$2" &
            approver=$!
        fi
        timeout --foreground 60 script --quiet --return --flush --command "$1" /dev/null </dev/null |
            tee "$screen.raw" || status=$?
        if [[ -n $approver ]]; then
            # After a failure, no code will appear.
            if ((status != 0)); then kill "$approver" 2>/dev/null || true; fi
            wait "$approver" || status=$((status == 0 ? 1 : status))
        fi
        exit "$status"
    } | as_seen || status=$?
    tr -d '\r' <"$screen.raw" >"$screen"
    cat "$screen" >>"$screens"
    ((status == 0)) || fail "status $status from: $1"
}

# Plays the person: reads the code from the screen, opens the page in a browser on another device, and approves.
approve_as() {
    local code='' end=$((SECONDS + 30))
    until [[ -n $code ]]; do
        ((SECONDS < end)) || return 1
        sleep 0.1
        code=$(sed -n -e 's/\x1b\[[0-9;]*m//g' -e 's/^  \([A-Z0-9]\{4\}-[A-Z0-9]\{4\}\)\r*$/\1/p' "$screen.raw")
    done
    curl -q --silent --show-error --fail --proxy "$PROXY" --cacert "$CA" --output "$HOME/page" \
        --data "user_code=$code" --data "login=$1" --data action=approve https://github.com/login/device
    printf '\n# (%s opens the page in a browser, enters %s, and approves)\n' "$1" "$code"
}

# make_sandbox FOLDER: makes a program `sandbox`, which runs a command with only a share's folder of this session, and
# without a network if the kernel allows that.
make_sandbox() {
    local way=()
    mkdir -p "$HOME/agent" "$HOME/bin"
    if unshare --net true 2>/dev/null; then
        way=(unshare --net)
    elif unshare --map-root-user --net true 2>/dev/null; then
        way=(unshare --map-root-user --net)
    else
        remark '(this kernel lets nobody take the network away; the agent knows no way to GitHub all the same)'
    fi
    # In a container, the folder is /run/gitspace.
    sed "s|%2Frun%2Fgitspace|${1//\//%2F}|" "$1/gitconfig" >"$HOME/agent/gitconfig"
    cat >"$HOME/bin/sandbox" <<END
#!/bin/sh
exec ${way[*]} env -i PATH="$PATH" HOME="$HOME/agent" GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 \\
    GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=include.path GIT_CONFIG_VALUE_0="$HOME/agent/gitconfig" \\
    GIT_AUTHOR_NAME=Agent GIT_AUTHOR_EMAIL=agent@example.com GIT_COMMITTER_NAME=Agent \\
    GIT_COMMITTER_EMAIL=agent@example.com "\$@"
END
    chmod +x "$HOME/bin/sandbox"
    PATH=$HOME/bin:$PATH
}

# Prints git's items in the keyring; secret-tool writes the attributes to standard error.
keyring() { secret-tool search --all protocol https 2>&1; }

# Prints the first line of the item's secret, the token, or the value of a named line.
token() { keyring | sed -n 's/^secret = //p'; }
line_of_secret() { keyring | sed -n "s/^$1=//p"; }

show_keyring() {
    type_in 'secret-tool search --all protocol https'
    keyring | sed 's/\(gh[a-z]\)_[A-Za-z0-9]*/\1_****/'
    if [[ -z $(keyring) ]]; then remark '(nothing)'; else remark '(the tokens were masked by this script)'; fi
}

one_item_of() { [[ $(keyring | grep --count '^attribute.user = ') == 1 && $(keyring) == *"attribute.user = $1"* ]]; }
token_begins_with() { [[ $(token) == "$1"* ]]; }
keyring_is_empty() { [[ -z $(keyring) ]]; }
expires_in_eight_hours() { (($(line_of_secret password_expiry_utc) - $(date +%s) > 28000)); }

# Checks that no issued token, refresh token or device code is in a file of the home directory, except in the encrypted
# files of the keyring.
nothing_in_plain_text() {
    control GET /secrets >"$HOME/../secrets"
    [[ -s $HOME/../secrets ]] && ! grep --recursive --quiet --fixed-strings --file "$HOME/../secrets" "$HOME"
}

# ---------------------------------------------------------------------------------------------------------------------

[[ -x $helper ]] || fail "there is no program $helper; \`make\` builds it"
start_stand_in --interval 1
lead_git_to_stand_in
git config --global user.name 'Mona Lisa'
git config --global user.email monalisa@users.noreply.github.com
mkdir "$HOME/src"
cd "$HOME/src"

printf '%sgit-credential-gitspace: a complete session, with a stand-in for GitHub%s\n' "$bold" "$plain"
printf '  git      %s (%s)\n' "$(git --version)" "$(command -v git)"
printf '  helper   %s\n           %s\n' "$("$helper" --version)" "$helper"
printf '  GitHub   a stand-in on this machine, reached by http.proxy and http.sslCAInfo\n'
printf '  keyring  gnome-keyring, private to this demo and empty; yours is not touched\n'

heading 'Set up git, once'
run 'git credential-gitspace configure github.com'
check 'git asks this program, and no other helper, for github.com' \
    test "$(git config --get-all credential.https://github.com.helper)" = $'\n'"$(command -v git-credential-gitspace)"
run "git config --global credential.https://github.com.oauthClientId $CLIENT_ID_OAUTH_APP"

heading 'The first clone of a private repository: sign in'
run "git clone $repository" monalisa
check 'the repository was cloned' test -f private/README.md
check 'a message shows who signed in and where the token is' shown 'Signed in as monalisa. Saved in the keyring.'
check 'GitHub issued one token' counted TOKEN_GRANTS 1

cd private
heading 'Fetch again: no sign-in is needed'
run 'git fetch'
check 'there was no message and no prompt' nothing_shown
check 'no other code was requested' counted DEVICE_CODES 1

heading 'Push'
echo 'Written by the demo.' >>README.md
run "git commit --quiet --all --message 'Second commit'"
run 'git push'
check 'the commit is on GitHub' test "$(git ls-remote origin main | cut -f 1)" = "$(git rev-parse HEAD)"
check 'no other code was requested' counted DEVICE_CODES 1

heading 'What is in the keyring'
show_keyring
check 'there is one item, for this account' one_item_of monalisa
check 'it contains the token of an OAuth App, which does not expire' token_begins_with gho_

heading 'Tokens that expire: a GitHub App'
remark "Tokens of a GitHub App expire after eight hours. For this demo, the stand-in lets one expire after three seconds."
control POST "/app?client_id=$CLIENT_ID_GITHUB_APP&interval=1&lifetime=3" >"$HOME/page"
run "git config --global credential.https://github.com.oauthClientId $CLIENT_ID_GITHUB_APP"
run 'git credential-gitspace login --force' monalisa
control POST "/app?client_id=$CLIENT_ID_GITHUB_APP&interval=1" >"$HOME/page"
check 'the token of the GitHub App replaced the other token' token_begins_with ghu_
expired_token=$(token)
expiry=$(line_of_secret password_expiry_utc)
[[ -n $expiry ]] || fail 'the token has no expiry'
until (($(date +%s) > expiry)); do sleep 0.1; done
remark 'The token has expired. Fetch again:'
run 'git fetch'
check 'there was no message and no prompt' nothing_shown
check 'the token was refreshed once' counted REFRESHES 1
check 'no other code was requested' counted DEVICE_CODES 2
run 'git fetch'
check 'the next fetch needs no refresh' counted REFRESHES 1
show_keyring
check 'there is one item, for this account' one_item_of monalisa
check 'it contains a new token' test "$(token)" != "$expired_token"
check 'the new token expires in eight hours' expires_in_eight_hours

heading 'An agent: git without the token, and without a network'
share=(git-credential-gitspace share agent --repository acme/private --branch 'agent/*' --pull-requests)
type_in "git credential-gitspace share agent --repository acme/private --branch 'agent/*' --pull-requests &"
"${share[@]}" >"$HOME/shared" 2>&1 &
sharing=$!
until grep --quiet 'press Ctrl-C' "$HOME/shared"; do
    kill -0 "$sharing" 2>/dev/null || fail "it was not shared: $(<"$HOME/shared")"
    sleep 0.1
done
head -n 1 "$HOME/shared"
make_sandbox "$XDG_RUNTIME_DIR/gitspace/agent"
cd "$HOME/agent"
remark 'The agent has nothing but the folder with the socket:'
run "sandbox git clone $repository"
run 'sandbox git -C private commit --quiet --allow-empty --message "By the agent"'
run "sandbox git -C private push -o merge_request.create -o merge_request.title='By an agent' origin HEAD:agent/fix"
check 'the agent has opened a pull request by git alone' shown 'remote: gitspace: opened https://github.com/acme/private/pull/7'
run 'sandbox git -C private push origin HEAD:main || true'
check 'main may not be pushed, in git'"'"'s own words' shown '! [remote rejected] HEAD -> main (gitspace: only agent/* may be pushed)'
check "the agent's branch is on GitHub, and nothing else is" test "$(git -C "$HOME/src/private" ls-remote --heads origin | cut -f 2 | tr '\n' ' ')" = 'refs/heads/agent/fix refs/heads/main '
kill -INT "$sharing"
wait "$sharing" || fail "share ended with status $?"
sed -n '/^agent: /p' "$HOME/shared"
check 'whoever shares has read what was done' grep --quiet '^agent: refused a push to main' "$HOME/shared"
check 'the pull request is in the log' grep --quiet '^agent: opened pull request 7 "By an agent" (agent/fix into main)' "$HOME/shared"
check 'no token is among the files of the agent' not grep --recursive --quiet "$(token)" "$HOME/agent"
cd "$HOME/src/private"

heading 'Sign out'
run "printf 'url=https://github.com\\n\\n' | git credential reject"
check 'a message shows what was removed' shown 'removed monalisa from the keyring'
show_keyring
check 'the keyring is empty' keyring_is_empty

heading 'Afterwards'
check 'no file and no screen contains a token, a refresh token or a device code' nothing_in_plain_text
check 'no refresh token was used twice' counted REUSES 0

printf '\n%sdemo: %d steps, %d checks, all passed, in %d s%s\n' "$bold" "$step" "$checks" "$SECONDS" "$plain"
printf 'The stand-in issued %s codes (a clone, a login), refreshed %s token, and got %s requests from git.\n' \
    "$(count DEVICE_CODES)" "$(count REFRESHES)" "$(count GIT_REQUESTS)"
