/* credentials.pml: several processes get, refresh, store, erase and sign in over one keyring.
 *
 * Spin tries every order of their steps, with a SIGKILL before each of them. In one step a process does one thing that
 * others can see: it reads or writes an item, sends a request, takes or releases a lock. README.md beside this file
 * says what is left out. model.sh says which processes run (P1 to P4, each "what,account") and what else may happen. */

#include "settings.pml"

/* git gets a token, and then stores it (praise), erases it (reject with our mark; rejectUnmarked as git before 2.46 or
 * a person does) or does neither. git-lfs gets and rejects as long as it is given a token. A repository stores a
 * password that was in a URL (plant). A person renews, logs in and logs out. */
mtype = { get, praise, reject, rejectUnmarked, lfs, plant, renew, login, logout, done }

#include "keyring.pml"
#include "operations.pml"

/* Get.swift: one program after the other, as git starts them. Each knows of the one before it only the answer. */
proctype helper(mtype op; byte who) {
    byte x = who, token, refresh, found, tried, hand, answer, before, tokens;
    bit grant, refused, readable, live, held, reported, failed, isLFS = (op == lfs);
    mtype outcome;
    do
    :: op == get || op == lfs || op == renew || op == login ->
        atomic { STEP; outcome = done; tried = answer; answer = NOTHING; choose(); found = token }
        if
        :: op == login -> outcome = login
        :: op != login && live && op != renew -> answer = token
        :: op != login && (!live || op == renew) && refresh != NOTHING -> renewing()
        :: op != login && !live && refresh == NOTHING && readable -> outcome = login
        :: else                                                 /* an unreadable keyring is no reason to sign in */
        fi;
        if
        :: answer == NOTHING && outcome == login && (op == get || op == login) && PERSON -> signingIn()
        :: else
        fi;
        if
        :: answer == NOTHING || op == renew || op == login -> op = done
        :: answer != NOTHING && op == get -> if :: op = praise :: op = reject :: op = rejectUnmarked :: op = done fi
        :: answer != NOTHING && op == lfs ->
            /* The server rejects all it brings. Two tokens, neither of them twice, then nothing. */
            tokens++; assert(tokens <= 2 && answer != tried); op = reject
        fi
    :: op == plant || op == praise -> storing((op == plant -> GARBAGE : answer)); op = done
    :: op == logout || op == reject || op == rejectUnmarked -> erasing(); op = (isLFS -> lfs : done)
    :: op == done -> break
    od;
    goto ended;
killed:
    atomic {
        lost[hand] = true;      /* The one window: the server has answered, and the pair is not saved. */
        if
        :: BREAK != lockOutlivesHolder ->
            free(refreshLock[0]); free(refreshLock[1]); free(signInLock[0]); free(signInLock[1]); free(signInLock[2])
        :: BREAK == lockOutlivesHolder
        fi
    }
ended:
    atomic {                    /* What it knew is gone, which also makes equal states equal. */
        running--;
        x = 0; token = 0; refresh = 0; found = 0; tried = 0; hand = 0; answer = 0; before = 0; tokens = 0; outcome = 0;
        grant = 0; refused = 0; readable = 0; live = 0; held = 0; reported = 0; failed = 0; who = 0; op = 0; isLFS = 0
    }
}

/* What happens by itself. */
active proctype outside() {
    do
    :: atomic { !down && outages < OUTAGES -> outages++; down = true }
    :: down -> down = false
    :: atomic {
        expiries < EXPIRIES -> expiries++;
        expired[1] = pairs >= 1; expired[2] = pairs >= 2; expired[3] = pairs >= 3;
        expired[4] = pairs >= 4; expired[5] = pairs >= 5; expired[6] = pairs >= 6
    }
    :: atomic { minutes < MINUTES -> minutes++; item[0].refused = false; item[1].refused = false }
    :: break
    od
}

/* A grant whose access token is good, or has expired. */
inline begin(x) {
    issue(x);
    if :: true :: expired[hand] = true fi;
    write(x, hand, hand, true, false, true);
    hand = NOTHING
}

/* The last good pair of each account is in its item, or its loss has a reason; and the access token is of that pair. */
inline check(i) {
    assert(i > pairs || spent[i] || lost[i] || given[i] || item[owner[i]].refresh == i);
    assert(i > pairs || item[owner[i]].refresh != i || item[owner[i]].token == i || item[owner[i]].token == NOTHING)
}

init {
    byte hand;
    atomic {
        lost[NOTHING] = true;
        if :: true :: PLACELESS -> place = false fi;
        if
        :: ACCOUNTS >= 1 -> begin(0)
        :: ACCOUNTS == 0
        :: ACCOUNTS == 0 -> write(0, GARBAGE, NOTHING, false, false, true)      /* a password that somebody stored */
        fi;
        if :: ACCOUNTS == 2 -> begin(1) :: ACCOUNTS != 2 fi;
        running = 1; run helper(P1);
#ifdef P2
        running++; run helper(P2);
#endif
#ifdef P3
        running++; run helper(P3);
#endif
#ifdef P4
        running++; run helper(P4);
#endif
    }
    atomic { running == 0 -> check(1); check(2); check(3); check(4); check(5); check(6); atRest = true }
}

#ifdef POLL
ltl everyProcessEnds { <> atRest }
#endif
