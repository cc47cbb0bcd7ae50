/* operations.pml: refresh, sign-in, store and erase, as sequences of steps. */

/* A person asked for it, and nobody has renewed it since. */
#define RENEW_ANYWAY (op == renew && token == found)
/* This token and the one before it were rejected, and the erase of this one failed. */
#define REJECTED_TWICE (refused && remembered[token] && BREAK != refreshAgain)

/* Refresh.swift (step 4): renews what `choose` has found. Afterwards there is an answer, or `outcome` is `login` if a
 * person can help, or neither, and then everything stored is as it was. */
inline renewing() {
    acquire(refreshLock[x]);
    if
    :: held || BREAK == refreshWithoutLock || !place && BREAK == refreshWithoutPlace ->
        if :: BREAK != noSecondLook -> read(x) :: BREAK == noSecondLook fi;
        if
        :: live && !RENEW_ANYWAY -> answer = token              /* another process has renewed it */
        :: readable && !live && refresh == NOTHING -> outcome = login
        :: refresh != NOTHING && REJECTED_TWICE -> drop(true)
        :: refresh != NOTHING && !REJECTED_TWICE && (!live || RENEW_ANYWAY) -> spend()
        :: else
        fi;
        release(refreshLock[x])
    :: else
    fi
}

/* The way from the old pair to the new one. The lock is held. */
inline spend() {
    atomic {                    /* The old pair is written again, to see that the new one can be. */
        STEP;
        before = outages;
        readable = (!down || BREAK == spendUnchecked);
        if :: readable && !down -> replace(x, refresh, refused, false) :: else fi
    }
    if
    :: readable ->
        atomic { STEP; exchange() }
        if
        :: hand != NOTHING ->
            if :: BREAK == saveAfterUnlock -> release(refreshLock[x]) :: BREAK != saveAfterUnlock fi;
            atomic {
                STEP;
                assert(APART || item[x].refresh == refresh);    /* Nobody changed the item; no log-out is undone. */
                save(x, refused || remembered[token], false)
            }
        :: hand == NOTHING && outcome == login -> dropSpent()
        :: hand == NOTHING && outcome != login
        fi
    :: !readable
    fi
}

/* The server's part. */
inline exchange() {
    if
    :: FAULTS                                                   /* the request did not arrive, or was no valid one */
    :: spent[refresh] ->
        /* No refresh token is spent twice, unless the pair that it was exchanged for is lost: then nobody knows. */
        assert(APART || lost[successor[refresh]]);
        outcome = login
    :: !spent[refresh] && REVOCATIONS -> spent[refresh] = true; outcome = login
    :: !spent[refresh] -> spent[refresh] = true; issue(x); successor[refresh] = hand
    :: !spent[refresh] && FAULTS ->                             /* the response is lost on the way */
        spent[refresh] = true; issue(x); successor[refresh] = hand; lost[hand] = true; hand = NOTHING
    fi
}

/* The server says that the refresh token is spent or revoked: it goes, if it is still the stored one. */
inline dropSpent() {
    tried = refresh;
    if :: BREAK != loserDeletes -> read(x) :: BREAK == loserDeletes -> release(refreshLock[x]) fi;
    if :: refresh == tried -> drop(false) :: refresh != tried fi
}
inline drop(onPurpose) {
    atomic { STEP; if :: !down -> replace(x, NOTHING, false, onPurpose) :: down fi }
}

/* SignIn.swift (step 5): a person approves, or not. The first lock is that of the name asked for, since nobody knows
 * yet which account it will be. */
inline signingIn() {
    atomic { STEP; before = outages; readable = !down }
    if
    :: readable ->
        acquire(signInLock[who]);
        if
        :: held ->
            atomic { STEP; choose() }
            if
            :: live && op != login -> answer = token            /* another process has signed in */
            :: readable && !(live && op != login) ->
                atomic { STEP; if :: who != 1 -> issue(0) :: who != 0 -> issue(1) :: true fi }
                if :: hand != NOTHING -> x = owner[hand]; keep() :: hand == NOTHING fi
            :: !readable
            fi;
            release(signInLock[who])
        :: !held
        fi
    :: !readable
    fi
}
/* What a person has approved replaces what is stored, inside the account's lock, so that no refresh writes over it. */
inline keep() {
    if :: BREAK != signInWithoutLock -> acquire(refreshLock[x]) :: BREAK == signInWithoutLock fi;
    atomic {
        STEP;
        if
        :: held -> save(x, false, true)
        :: !held -> lost[hand] = true; reported = true; answer = hand; hand = NOTHING
        fi
    }
    release(refreshLock[x])
}

/* Store.swift. (A store with our own mark ends before it has read anything.) */
inline storing(password) {
    if :: BREAK != storeWithoutLock -> acquire(refreshLock[x]) :: BREAK == storeWithoutLock -> held = place fi;
    if
    :: held ->
        read(x);
        if
        :: (readable || BREAK == storeWhenUnreadable) && (!(grant && (live || refresh)) || BREAK == storeUnguarded) ->
            atomic {
                STEP;
                if
                :: !down ->
                    assert(!PROTECTED(x));                      /* No store changes a grant. */
                    write(x, password, NOTHING, false, false, false)
                :: down
                fi
            }
        :: else
        fi;
        release(refreshLock[x])
    :: !held
    fi
}

/* Erase.swift, Logout.swift. `reject` has our mark: a token of ours was rejected, but its refresh token may be good. */
#define MATCHES (readable && (op == logout || token == answer))
inline erasing() {
    read(x);
    failed = !readable;
    if
    :: MATCHES && (place || refresh == NOTHING) ->
        if
        :: !place || BREAK == eraseWithoutLock || op == logout && BREAK == logoutWithoutLock -> held = true
        :: else -> acquire(refreshLock[x]); if :: held && BREAK != eraseWithoutSecondLook -> read(x) :: else fi
        fi;
        failed = !held || !readable;
        if :: held && MATCHES -> forget() :: else fi;
        release(refreshLock[x])
    :: else
    fi;
    if :: failed && place && BREAK != forgetful -> atomic { STEP; remembered[answer] = true } :: else fi
}
inline forget() {
    atomic {
        STEP;
        if
        :: down -> failed = true
        :: !down && op == reject && grant && refresh && (!refused || BREAK == eraseForever) && BREAK != eraseTakesAll ->
            write(x, NOTHING, refresh, true, true, false)
        :: else -> write(x, NOTHING, NOTHING, false, false, op != reject || refused)
        fi
    }
}
