# Completion for bash: `git-credential-gitspace`, and `git credential-gitspace` through git's own completion, which
# loads this file by its name and calls _git_credential_gitspace.
# shellcheck shell=bash

# Prints stored credentials, one HOST and USERNAME per line. Makes no request and shows no prompt; a hanging keyring
# delays the shell by one second. Only plain names are printed, since they become part of a command line.
__git_credential_gitspace_accounts() {
    GIT_TERMINAL_PROMPT=0 timeout 1 git-credential-gitspace status --json --offline 2>/dev/null </dev/null |
        tr '\n}' ' \n' |
        sed -n 's/.*"host": *"\([A-Za-z0-9.:-]*\)".*"username": *"\([A-Za-z0-9@._+-]*\)".*/\1 \2/p'
}

# Prints the stored usernames, for one host if it is given.
__git_credential_gitspace_usernames() {
    local host username
    while read -r host username; do
        if [[ -z $1 || $1 == "$host" ]]; then printf '%s\n' "$username"; fi
    done < <(__git_credential_gitspace_accounts)
}

# Prints the names of the places that are shared.
__git_credential_gitspace_shares() {
    timeout 1 git-credential-gitspace share list --json 2>/dev/null </dev/null | tr '\n}' ' \n' |
        sed -n 's/.*"name": *"\([A-Za-z0-9._-]*\)".*/\1/p'
}

# Prints the https addresses of this repository's remotes, without passwords in them, and without
# those whose user name is a token (TokenShape.swift).
__git_credential_gitspace_remotes() {
    git config --get-regexp '^remote\..*\.url$' 2>/dev/null |
        sed -nE -e 's/^[^ ]* //' -e 's#^(https://[^/@:]*):[^/@]*@#\1@#' \
            -e '\#^https://(gh[opusr]_|github_pat_|gl(agent|cbt|dt|ft|imt|oas|pat|ptt|rt|soat)-|gto_|AT(ATT|CTT|BB)|eyJ)[^/@]{8,}@#d' \
            -e '\#^https://[A-Za-z0-9]{40,}@#d' -e '\#^https://[A-Za-z0-9./:@~_+-]*$#p'
}

# Completes the last of the given words, which follow the program's name.
__git_credential_gitspace() {
    local current=${*: -1} previous='' verb='' host='' name='' word candidates=''
    for word in "${@:1:$#-1}"; do
        case $previous,$word in
        --username,* | --client-id,* | --host,* | --confirm,* | --for,* | --folder,* | --owner,*) word='' ;;
        *,-*) ;;
        *) if [[ -z $verb ]]; then verb=$word; elif [[ -z $host ]]; then host=$word; else name=$word; fi ;;
        esac
        previous=$word
    done

    # In --username=NAME the value follows the equals sign; each candidate repeats the option.
    local option=''
    if [[ $current == --*=* ]]; then
        previous=${current%%=*} option=$previous=
    fi
    case $verb,$previous,$current in
    ,*,-*) candidates='--help --version' ;;
    ,*) candidates='setup login logout refresh status switch unlock configure unconfigure doctor check share' ;;
    share,--username,*) candidates=$(__git_credential_gitspace_usernames '') ;;
    *,--username,*) candidates=$(__git_credential_gitspace_usernames "$host") ;;
    setup,--client-id,*) ;;
    setup,*,-*) candidates='--yes --with-token --client-id --github-app --help' ;;
    login,*,-*) candidates='--force --with-token --help' ;;
    logout,*,-*) candidates='--all --revoke --force --help' ;;
    refresh,*,-*) candidates='--help' ;;
    status,*,-*) candidates='--json --offline --help' ;;
    configure,*,-*) candidates='--system --proactive --dry-run --help' ;;
    unconfigure,*,-*) candidates='--system --dry-run --help' ;;
    switch,--folder,*)
        # Completed as file names, which readline quotes.
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -S / -- "${current#--folder=}")
        return
        ;;
    switch,--owner,*) ;;
    switch,*,-*) candidates='--here --folder --owner --unset --help' ;;
    unlock,*,-*) candidates='--help' ;;
    doctor,*,-*) candidates='--json --verbose --help' ;;
    check,*,-*) candidates='--json --help' ;;
    share,--confirm,*) candidates='never once each' ;;
    share,--host,*) candidates="github.com $(__git_credential_gitspace_accounts | cut -d ' ' -f 1)" ;;
    share,--for,* | share,--repository,*) ;;
    share,*,-*) candidates='--host --username --confirm --for --repository --branch --pull-requests --read-only --token --long-lived --json --refresh --help' ;;
    share,*)
        case $host,$name in
        ,) candidates='list stop ssh' ;;
        stop,) candidates=$(__git_credential_gitspace_shares) ;;
        esac
        ;;
    setup,* | login,* | logout,* | refresh,* | status,* | switch,* | configure,* | doctor,*)
        if [[ -z $host ]]; then
            candidates="github.com $(__git_credential_gitspace_accounts | cut -d ' ' -f 1)"
        elif [[ -z $name && $verb != configure ]]; then
            candidates=$(__git_credential_gitspace_usernames "$host")
        fi
        ;;
    check,*) if [[ -z $host ]]; then candidates=$(__git_credential_gitspace_remotes); fi ;;
    esac

    # readline replaces only the part after the last of its own word breaks.
    local breaks=${COMP_WORDBREAKS//[^:=]/} kept=''
    if [[ -n $breaks ]]; then kept=${current%"${current##*["$breaks"]}"}; fi
    COMPREPLY=()
    for word in $candidates; do
        word=$option$word
        if [[ $word == "$current"* ]]; then COMPREPLY+=("${word#"$kept"} "); fi
    done
}

# For git's completion: __git_cmd_idx (since git 2.31) is the position of the command in the line.
_git_credential_gitspace() {
    # shellcheck disable=SC2154 # words and cword are git's
    __git_credential_gitspace "${words[@]:${__git_cmd_idx:-1} + 1:cword - ${__git_cmd_idx:-1}}"
}

_git_credential_gitspace_program() {
    local words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
    # A function of bash-completion that rejoins words split at : and =.
    if declare -F _get_comp_words_by_ref >/dev/null; then _get_comp_words_by_ref -n := words cword; fi
    __git_credential_gitspace "${words[@]:1:cword}"
}

complete -o nospace -F _git_credential_gitspace_program git-credential-gitspace
