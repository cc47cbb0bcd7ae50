/* credentials.pml: several processes get, refresh, store, erase and sign in over one keyring.
 *
 * Spin tries every order of their steps, with a SIGKILL before each of them. In one step, a process does one thing
 * that others can notice: it reads or writes an item, sends a request, takes or releases a lock. README.md beside this
 * file lists the simplifications. model.sh sets the processes (P1 to P4, each "operation,account") and other events. */

#include "settings.pml"

/* git gets a token, then stores it (praise), erases it, or neither; reject is an erase with our state, rejectUnmarked
 * one without, as by git before 2.46 or a person. git-lfs gets and rejects as long as it receives tokens. A repository
 * stores a password from a URL (plant). A person renews, logs in and logs out. */
mtype = { get, praise, reject, rejectUnmarked, lfs, plant, renew, login, logout, done }

#include "keyring.pml"
#include "operations.pml"

/* CredentialHelper.swift: consecutive runs, as git starts them. Each run knows only the answer of the previous one. */
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
        :: else                                                 /* an unreadable keyring causes no sign-in */
        fi;
        if
        :: answer == NOTHING && outcome == login && (op == get || op == login) && PERSON -> signingIn()
        :: else
        fi;
        if
        :: answer == NOTHING || op == renew || op == login -> op = done
        :: answer != NOTHING && op == get -> if :: op = praise :: op = reject :: op = rejectUnmarked :: op = done fi
        :: answer != NOTHING && op == lfs ->
            /* The server rejects every token: git-lfs gets two tokens, neither of them twice, then none. */
            tokens++; assert(tokens <= 2 && answer != tried); op = reject
        fi
    :: op == plant || op == praise -> storing((op == plant -> GARBAGE : answer)); op = done
    :: op == logout || op == reject || op == rejectUnmarked -> erasing(); op = (isLFS -> lfs : done)
    :: op == done -> break
    od;
    goto ended;
killed:
    atomic {
        lost[hand] = true;      /* The unavoidable loss: the server has answered, and the pair is not saved. */
        if
        :: BREAK != lockOutlivesHolder ->
            free(refreshLock[0]); free(refreshLock[1]); free(signInLock[0]); free(signInLock[1]); free(signInLock[2])
        :: BREAK == lockOutlivesHolder
        fi
    }
ended:
    atomic {                    /* Forgets all variables, which also makes equivalent states equal. */
        running--;
        x = 0; token = 0; refresh = 0; found = 0; tried = 0; hand = 0; answer = 0; before = 0; tokens = 0; outcome = 0;
        grant = 0; refused = 0; readable = 0; live = 0; held = 0; reported = 0; failed = 0; who = 0; op = 0; isLFS = 0
    }
}

/* Events outside of all processes. */
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

/* Stores a grant whose access token is valid or expired. */
inline begin(x) {
    issue(x);
    if :: true :: expired[hand] = true fi;
    write(x, hand, hand, true, false, true);
    hand = NOTHING
}

/* The last valid pair of each account must be in its item unless its loss has a reason; both tokens must be of one pair. */
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
        :: ACCOUNTS == 0 -> write(0, GARBAGE, NOTHING, false, false, true)      /* a stored password */
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
