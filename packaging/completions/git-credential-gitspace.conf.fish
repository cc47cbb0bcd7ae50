# For fish, in vendor_conf.d: completes `git credential-gitspace` like the program's own name. Since 3.6.1, fish does so
# itself; 3.6.0 of Debian 12 loads a file for `git`, and only one such file can exist.
function __git_credential_gitspace_within_git
    set -l words (commandline -opc)
    set -l at (contains -i -- credential-gitspace $words)
    or return
    set -e words[1..$at]
    complete -C "git-credential-gitspace $words "(commandline -ct)
end
complete -c git -f -n '__fish_git_using_command credential-gitspace' -a '(__git_credential_gitspace_within_git)'
