# For fish, in vendor_conf.d: completes `git credential-gitspace` as the program's own name. From 3.6.1 on fish does so
# by itself; 3.6.0, which Debian 12 has, looks for a file that belongs to `git`, and there can be only one of those.
function __git_credential_gitspace_within_git
    set -l words (commandline -opc)
    set -l at (contains -i -- credential-gitspace $words)
    or return
    set -e words[1..$at]
    complete -C "git-credential-gitspace $words "(commandline -ct)
end
complete -c git -f -n '__fish_git_using_command credential-gitspace' -a '(__git_credential_gitspace_within_git)'
