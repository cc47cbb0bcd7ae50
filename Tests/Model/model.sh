#!/usr/bin/env bash
# model.sh: checks the protocol of get, refresh, store, erase and sign-in with Spin: every order of the steps of several
# processes, with a crash before each step. Then it removes one rule at a time, and Spin must find the resulting error.
#
# Usage: Tests/Model/model.sh [NAME…]     (default: all runs; NAME is a run or a rule, as the first column prints it)
# Each run prints one line: its name, the number of states, the seconds it took, the result. An unexpected error is
# followed by the steps that lead to it.
# Exit: 0 all results are as expected, 1 not, 64 unknown name, 69 spin or gcc is missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly here
for program in spin gcc; do
    command -v "$program" >/dev/null && continue
    printf 'model: %s is missing; on Debian: apt-get install spin gcc libc6-dev\n' "$program" >&2
    exit 69
done

# The processes of each run, in the words of settings.pml and credentials.pml. Runs named `-ends` check that every
# process ends; the others check every state.
readonly -A runs=(
    [refresh]='CRASHES=3 FAULTS=true REVOCATIONS=true PLACELESS=true P1=get,0 P2=get,0 P3=renew,0'
    [store]='CRASHES=1 EXPIRIES=1 OUTAGES=1 PLACELESS=true P1=get,0 P2=plant,0 P3=renew,0'
    [erase]='CRASHES=1 EXPIRIES=1 MINUTES=1 PLACELESS=true P1=get,0 P2=renew,0 P3=logout,0'
    [sign-in]='CRASHES=2 REVOCATIONS=true PERSON=true P1=get,0 P2=login,ANYBODY P3=plant,0'
    [first-sign-in]='ACCOUNTS=0 CRASHES=2 PERSON=true PLACELESS=true P1=get,0 P2=get,ANYBODY P3=plant,0'
    [two-accounts]='ACCOUNTS=2 CRASHES=2 REVOCATIONS=true PERSON=true P1=get,ANYBODY P2=login,1 P3=plant,1'
    [second-account]='CRASHES=2 REVOCATIONS=true PERSON=true P1=get,ANYBODY P2=login,1 P3=plant,1'
    [outage]='CRASHES=1 OUTAGES=1 PERSON=true P1=get,0 P2=renew,0 P3=logout,0'
    [deadline]='CRASHES=1 DEADLINES=true PERSON=true P1=get,0 P2=login,0 P3=renew,0'
    [rejections]='CRASHES=1 OUTAGES=1 DEADLINES=true P1=lfs,0 P2=lfs,0'
    [apart]='APART=true CRASHES=1 P1=renew,0 P2=renew,0 P3=renew,0'
    [four-processes]='P1=get,0 P2=renew,0 P3=plant,0 P4=logout,0'
    [refresh-ends]='POLL=1 CRASHES=1 P1=get,0 P2=renew,0 P3=plant,0'
    [sign-in-ends]='POLL=1 CRASHES=1 REVOCATIONS=true PERSON=true P1=get,0 P2=login,ANYBODY'
)
readonly order=(
    refresh store erase sign-in first-sign-in two-accounts second-account outage deadline rejections apart
    four-processes     refresh-ends sign-in-ends
)

# The error that each rule prevents, and the text of Spin's report for it.
readonly -A errors=(
    ['a refresh token is spent twice']='lost\[successor'
    ['the item changes while its token is exchanged']='item\[x\]\.refresh==refresh'
    ['a good refresh token is lost']='violated (0|\(\(op!=[0-9]*\)\|\|refused\)) '
    ['a token is spent that nobody can save']='outages!=before'
    ['a pair is lost silently']='reported\|\|'
    ['a store changes a grant']=' !\(\(item\[x\]\.grant'
    ['a store outranks a grant']='who!=2'
    ['rejections do not end']='tokens<=2'
    ['a process waits forever']='invalid end state|acceptance cycle'
)
# For each removed rule: the run, and the error that it must find.
readonly broken=(
    'refreshWithoutLock erase a refresh token is spent twice'
    'refreshWithoutPlace erase a refresh token is spent twice'
    'noSecondLook refresh a good refresh token is lost'
    'spendUnchecked outage a token is spent that nobody can save'
    'saveAfterUnlock refresh a refresh token is spent twice'
    'silentFailure outage a pair is lost silently'
    'loserDeletes sign-in a good refresh token is lost'
    'refreshAgain rejections rejections do not end'
    'storeUnguarded store a store changes a grant'
    'storeWithoutLock first-sign-in a store changes a grant'
    'storeWhenUnreadable store a store changes a grant'
    'eraseWithoutLock erase a good refresh token is lost'
    'eraseWithoutSecondLook erase a good refresh token is lost'
    'eraseTakesAll erase a good refresh token is lost'
    'eraseForever rejections rejections do not end'
    'forgetful rejections rejections do not end'
    'logoutWithoutLock erase the item changes while its token is exchanged'
    'signInWithoutLock sign-in a good refresh token is lost'
    'latestFirst two-accounts a store outranks a grant'
    'overwriteOthers apart a good refresh token is lost'
    'lockOutlivesHolder erase a process waits forever'
    'lockOutlivesHolder refresh-ends a process waits forever'
    'lockOfRemovedFile refresh a refresh token is spent twice'
)

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# search RUN [RULE]: searches all states of a run, or up to the first error with the rule removed; writes the file
# `report`.
search() {
    local -a settings
    read -ra settings <<<"${runs[$1]} BREAK=${2:-0}"
    # Each run takes seconds, so that compiling without optimisation is faster overall. With -a -f, a cycle counts only if
    # it is fair to all processes.
    local kind=(-DSAFETY) how=()
    if [[ ${runs[$1]} == *POLL* ]]; then kind=(-DNFAIR=2) how=(-a -f); fi
    rm -f ./*.trail report
    if ! { spin -a "${settings[@]/#/-D}" "$here/credentials.pml" >generated &&
        gcc -w -O0 "${kind[@]}" -DMEMLIM=2000 -o pan pan.c 2>>generated; }; then
        cat generated
        return 1
    fi
    # A run that finds an error or takes too long says so in its report.
    timeout --foreground 300 ./pan -m100000 "${how[@]}" >report 2>&1 || true
    replay=(spin -k ./*.trail -t -p "${settings[@]/#/-D}" "$here/credentials.pml")
}

failed=0
# say NAME SECONDS GOOD RESULT: prints a run's line from its report, followed by the steps if the result is unexpected.
say() {
    printf 'model: %-22s %9s states %4d s  %s\n' \
        "$1" "$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' report)" "$2" "$4"
    if ! $3; then
        failed=1
        cat report
        if [[ -n $(compgen -G '*.trail') ]]; then "${replay[@]}" | grep -v '\[(1)\]$' | tail -n 150; fi
    fi
}

# holds: whether all states were searched without an error.
holds() { grep -q ', errors: 0$' report && ! grep -qE 'not completed|too small|out of memory|aborted' report; }

wanted() {
    local name
    ((${#names[@]})) || return 0
    for name in "${names[@]}"; do [[ $name != "$1" ]] || return 0; done
    return 1
}

names=("$@")
for name in "${names[@]}"; do
    printf '%s\n' "${order[@]}" "${broken[@]%% *}" | grep -qFx -- "$name" && continue
    printf 'usage: %s [NAME…]; names: %s\n' "${0##*/}" "$(printf '%s ' "${order[@]}" "${broken[@]%% *}")" >&2
    exit 64
done

for name in "${order[@]}"; do
    wanted "$name" || continue
    begun=$SECONDS
    search "$name" || exit 1
    if holds; then
        say "$name" $((SECONDS - begun)) true 'holds'
    else
        say "$name" $((SECONDS - begun)) false 'DOES NOT HOLD, or not all states were searched:'
    fi
done
for line in "${broken[@]}"; do
    read -r rule name error <<<"$line"
    wanted "$rule" || continue
    begun=$SECONDS
    search "$name" "$rule" || exit 1
    if found=$(grep -m 1 '^pan:1: ' report) && [[ "$found " =~ ${errors[$error]} ]]; then
        say "$rule" $((SECONDS - begun)) true "found in $name: $error"
    else
        say "$rule" $((SECONDS - begun)) false "NOT FOUND in $name: $error; Spin says:"
    fi
done
exit "$failed"
