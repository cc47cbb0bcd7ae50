# Completion for fish: `git-credential-gitspace`. The file of the same name in vendor_conf.d extends it to `git`.

# Prints stored credentials, one HOST USERNAME per line. Makes no request and shows no prompt; a hanging keyring delays
# the shell by one second.
function __git_credential_gitspace_accounts
    GIT_TERMINAL_PROMPT=0 timeout 1 git-credential-gitspace status --json --offline 2>/dev/null </dev/null |
        tr '\n}' ' \n' |
        sed -n 's/.*"host": *"\([A-Za-z0-9.:-]*\)".*"username": *"\([A-Za-z0-9@._+-]*\)".*/\1 \2/p'
end

# Prints the stored hosts, and github.com.
function __git_credential_gitspace_hosts
    begin
        echo github.com
        __git_credential_gitspace_accounts | cut -d ' ' -f 1
    end | sort -u
end

# Prints the stored usernames of the host in the line.
function __git_credential_gitspace_usernames
    set -l accounts (__git_credential_gitspace_accounts)
    for word in (commandline -opc)[3..]
        set -l of_host (string match -- "$word *" $accounts)
        and set accounts $of_host
    end
    string replace -r '.* ' '' -- $accounts
end

# Prints the hosts, or the usernames of a host that precedes.
function __git_credential_gitspace_hosts_then_usernames
    set -l words (commandline -opc)
    set -l verb (string match -r -- '^(?:setup|login|logout|refresh|status|switch)$' $words)
    set -l behind $words[(math (contains -i -- $verb[1] $words) + 1)..]
    if string match -qv -- '-*' $behind
        __git_credential_gitspace_usernames
    else
        __git_credential_gitspace_hosts
    end
end

# Prints what comes next: a form of the verb, or behind stop the names of the places that are shared.
function __git_credential_gitspace_share_words
    set -l words (commandline -opc)
    set -l place (contains -i -- share $words)
    switch (math (count $words) - $place)" $words[-1]"
        case '0 *'
            printf '%s\n' list stop ssh
        case '1 stop'
            timeout 1 git-credential-gitspace share list --json 2>/dev/null </dev/null | tr '\n}' ' \n' |
                sed -n 's/.*"name": *"\([A-Za-z0-9._-]*\)".*/\1/p'
    end
end

# Prints the https addresses of this repository's remotes, without passwords in them, and without
# those whose user name is a token (TokenShape.swift).
function __git_credential_gitspace_remotes
    git config --get-regexp '^remote\..*\.url$' 2>/dev/null |
        sed -nE -e 's/^[^ ]* //' -e 's#^(https://[^/@:]*):[^/@]*@#\1@#' \
            -e '\#^https://(gh[opusr]_|github_pat_|gl(agent|cbt|dt|ft|imt|oas|pat|ptt|rt|soat)-|gto_|AT(ATT|CTT|BB)|eyJ)[^/@]{8,}@#d' \
            -e '\#^https://[A-Za-z0-9]{40,}@#d' -e '\#^https://[A-Za-z0-9./:@~_+-]*$#p'
end

complete -c git-credential-gitspace -f
complete -c git-credential-gitspace -s h -l help -d 'Show a summary'
complete -c git-credential-gitspace -n __fish_is_first_token -l version -d 'Show the version'

function __git_credential_gitspace_verb -a name description
    complete -c git-credential-gitspace -n __fish_is_first_token -a $name -d $description
end
__git_credential_gitspace_verb setup 'Set up git and sign in'
__git_credential_gitspace_verb login 'Sign in now'
__git_credential_gitspace_verb logout 'Remove stored credentials'
__git_credential_gitspace_verb refresh 'Refresh a token now'
__git_credential_gitspace_verb status 'Show your accounts and the state of their tokens'
__git_credential_gitspace_verb switch 'Set the default account'
__git_credential_gitspace_verb unlock 'Unlock the keyring in a terminal'
__git_credential_gitspace_verb configure 'Set up git'
__git_credential_gitspace_verb unconfigure 'Undo what configure has set up'
__git_credential_gitspace_verb doctor 'Find problems with your setup'
__git_credential_gitspace_verb check 'Check whether you can access a repository'
__git_credential_gitspace_verb share 'Share your sign-in with a container or an SSH host'
functions -e __git_credential_gitspace_verb

# Adds a completion for the verbs in the first argument.
function __git_credential_gitspace_of -a verbs
    complete -c git-credential-gitspace -n "__fish_seen_subcommand_from $verbs" $argv[2..]
end
__git_credential_gitspace_of share -x -l username -a '(__git_credential_gitspace_usernames)' -d Account
__git_credential_gitspace_of setup -l yes -d 'Ask no questions'
__git_credential_gitspace_of setup -l with-token -d 'Sign in with a personal access token'
__git_credential_gitspace_of login -l force -d 'Even if a valid token is stored'
__git_credential_gitspace_of login -l with-token -d 'Sign in with a personal access token'
__git_credential_gitspace_of logout -l all -d 'All accounts of the host'
__git_credential_gitspace_of logout -l revoke -d 'Revoke the token first, and keep it if that fails'
__git_credential_gitspace_of logout -l force -d 'With --revoke, remove the token even if it could not be revoked'
__git_credential_gitspace_of 'status doctor check' -l json -d 'Print JSON for programs'
__git_credential_gitspace_of doctor -l verbose -d 'Also show what is fine'
__git_credential_gitspace_of status -l offline -d 'Do not check the tokens with the servers'
__git_credential_gitspace_of switch -l here -d 'For this repository only'
__git_credential_gitspace_of switch -x -l folder -a '(__fish_complete_directories)' -d 'For all repositories below a folder'
__git_credential_gitspace_of switch -x -l owner -d 'For the repositories of one owner or group'
__git_credential_gitspace_of switch -l unset -d 'Remove the setting'
__git_credential_gitspace_of 'configure unconfigure' -l system -d 'For all users of this machine'
__git_credential_gitspace_of configure -l proactive -d 'Send the token with the first request'
__git_credential_gitspace_of 'configure unconfigure' -l dry-run -d 'Only show what would be done'
__git_credential_gitspace_of setup -l github-app -d 'Register a GitHub App of your own'
__git_credential_gitspace_of setup -x -l client-id -d 'The client ID of your own app'
__git_credential_gitspace_of share -x -l host -a '(__git_credential_gitspace_hosts)' -d 'A host that may be used there'
__git_credential_gitspace_of share -x -l confirm -a 'never once each' -d 'Ask before it is used'
__git_credential_gitspace_of share -x -l for -d 'Stop after this time'
__git_credential_gitspace_of share -x -l repository -d 'A repository that may be used there'
__git_credential_gitspace_of share -x -l branch -d 'A branch that may be pushed'
__git_credential_gitspace_of share -l read-only -d 'No pushes'
__git_credential_gitspace_of share -l pull-requests -d 'With --branch, a push may open a pull request'
__git_credential_gitspace_of share -l token -d 'Give the token itself away'
__git_credential_gitspace_of share -l long-lived -d 'With --token, also one that does not expire'
__git_credential_gitspace_of share -l refresh -d 'With stop, make every copy of the token stop working'
__git_credential_gitspace_of share -l json -d 'With list, print JSON for programs'
__git_credential_gitspace_of share -a '(__git_credential_gitspace_share_words)'
__git_credential_gitspace_of 'configure doctor' -a '(__git_credential_gitspace_hosts)' -d Host
__git_credential_gitspace_of 'setup login logout refresh status switch' -a '(__git_credential_gitspace_hosts_then_usernames)'
__git_credential_gitspace_of check -a '(__git_credential_gitspace_remotes)' -d Remote
functions -e __git_credential_gitspace_of
