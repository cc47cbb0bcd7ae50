/* operations.pml: refresh, sign-in, store and erase, as sequences of steps. */

/* A person asked for a renewal, and no other process has renewed the token since. */
#define RENEW_ANYWAY (op == renew && token == found)
/* This token and the one before it were rejected, and the erase of this one failed. */
#define REJECTED_TWICE (refused && remembered[token] && BREAK != refreshAgain)

/* Refresh.swift (step 4): renews the item that `choose` has read. Results: an answer; or `outcome` is `login`, and a person
 * must sign in; or neither, and everything stored is unchanged. */
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

/* Exchanges the old pair for a new one, with the lock held. */
inline spend() {
    atomic {                    /* Writes the old pair again, to check that the keyring is writable. */
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
                assert(APART || item[x].refresh == refresh);    /* The item is unchanged, so no log-out is undone. */
                save(x, refused || remembered[token], false)
            }
        :: hand == NOTHING && outcome == login -> dropSpent()
        :: hand == NOTHING && outcome != login
        fi
    :: !readable
    fi
}

/* The server answers a refresh. */
inline exchange() {
    if
    :: FAULTS                                                   /* the request is lost or invalid */
    :: spent[refresh] ->
        /* No refresh token is used twice, unless the new pair was lost, so that the process cannot know of the exchange. */
        assert(APART || lost[successor[refresh]]);
        outcome = login
    :: !spent[refresh] && REVOCATIONS -> spent[refresh] = true; outcome = login
    :: !spent[refresh] -> spent[refresh] = true; issue(x); successor[refresh] = hand
    :: !spent[refresh] && FAULTS ->                             /* the response is lost on the way */
        spent[refresh] = true; issue(x); successor[refresh] = hand; lost[hand] = true; hand = NOTHING
    fi
}

/* After the server has rejected a refresh token: removes it if it is still stored. */
inline dropSpent() {
    tried = refresh;
    if :: BREAK != loserDeletes -> read(x) :: BREAK == loserDeletes -> release(refreshLock[x]) fi;
    if :: refresh == tried -> drop(false) :: refresh != tried fi
}
inline drop(onPurpose) {
    atomic { STEP; if :: !down -> replace(x, NOTHING, false, onPurpose) :: down fi }
}

/* SignIn.swift (step 5): a person approves or declines. The first lock is named after the requested account, since the
 * actual one is not known yet. */
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
/* Replaces the stored item by the approved pair, inside the account's lock, so that no refresh overwrites it. */
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

/* Store.swift. (A store with our own state ends before it reads anything.) */
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

/* Erase.swift, Logout.swift. `reject` has our state: the access token was rejected, but its refresh token may be valid. */
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
