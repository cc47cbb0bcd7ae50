/* keyring.pml: the state that all processes share (server, keyring, locks), and one step of each kind on it. */

#define NOTHING 0
#define GARBAGE 7       /* a password that a repository plants; pairs are numbered from 1 to 6 */
#define ANYBODY 2       /* a request without a name; the accounts are 0 and 1 */

/* The server. A pair is an access token and a refresh token, which have the same number. */
byte pairs;             /* how many pairs it has issued */
byte owner[8];          /* the account of a pair */
bit spent[8];           /* the pair's refresh token was exchanged or revoked */
byte successor[8];      /* the pair that it was exchanged for; NOTHING if it was revoked */
bit expired[8];         /* the pair's access token has expired */

/* The keyring: one item for each account. */
typedef Item {
    byte token;         /* access token or password; NOTHING if it was rejected, or if there is no item */
    byte refresh;       /* refresh token */
    bit grant;          /* the item has a provenance line: gitspace obtained it */
    bit refused         /* the server rejected a token of this grant less than a minute ago (gitspace_refused) */
}
Item item[2];
bit down;               /* the keyring is locked, unreachable or unreadable: no read, no write */
byte outages;           /* the number of outages so far */
bit first;              /* the account whose grant is older (gitspace_since) */
bit latest;             /* the account whose item was changed last */

/* The place for locks: the same for all processes of a user, or none. A lock holds the pid of its holder, or 0. */
bit place = true;
byte refreshLock[2], signInLock[3];
bit remembered[8];      /* rejected tokens that could not be erased */

/* State that only the assertions use. */
bit lost[8];            /* the pair never reached the keyring */
bit given[8];           /* the pair was dropped on purpose: by a person, or after two rejections in a minute */
byte crashes, minutes, expiries, running;
bit atRest;

#define LIVE(t) ((t) != NOTHING && !expired[t] && !remembered[t])
#define PROTECTED(x) (item[x].grant && (LIVE(item[x].token) || item[x].refresh != NOTHING))

/* The beginning of every step: the process may be killed instead. */
#define STEP if :: true :: crashes < CRASHES -> crashes++; goto killed fi

/* FileLocks.swift: waits for a lock. Afterwards `held` says whether the process has it. */
inline acquire(lock) {
    if
    :: !place -> held = false
#ifdef POLL             /* flock(2) is called repeatedly, as in the program */
    :: place -> do :: atomic { lock == 0 -> lock = _pid; held = true; break } :: lock != 0 od
#else
    :: atomic { place && APART -> held = true }
    :: atomic { place && !APART && lock == 0 -> lock = _pid; held = true }
    :: atomic { place && !APART && lock != 0 && DEADLINES -> held = false }
    /* The last log-out has removed the file that this process waits for; `lock` belongs to a new file, which others use. */
    :: atomic { place && !APART && lock != 0 && BREAK == lockOfRemovedFile -> held = true }
#endif
    :: atomic { crashes < CRASHES -> crashes++; goto killed }
    fi
}
inline release(lock) { atomic { STEP; free(lock) } }
inline free(lock) { if :: lock == _pid -> lock = 0 :: else fi }

/* Lookup.swift: reads an item. From then on the process knows only this copy. */
inline read(x) { atomic { STEP; copy(x) } }
inline copy(x) {
    readable = !down;
    token = (readable -> item[x].token : NOTHING);
    refresh = (readable -> item[x].refresh : NOTHING);
    grant = readable && item[x].grant;
    refused = readable && item[x].refused;
    live = LIVE(token)
}

/* Lookup.swift: picks the account that a request means, and reads its item. */
inline choose() {
    if
    :: who != ANYBODY -> x = who
    :: who == ANYBODY && BREAK == latestFirst -> x = latest
    :: who == ANYBODY && BREAK != latestFirst ->
        x = (PROTECTED(first) -> first : (PROTECTED(1 - first) -> 1 - first : (item[0].token -> 0 : 1)))
    fi;
    copy(x);
    /* No store outranks a grant: if there are live or renewable grants, the oldest is the answer. */
    assert(who != ANYBODY || !readable || !(PROTECTED(0) || PROTECTED(1)) ||
        x == (PROTECTED(first) -> first : 1 - first))
}

/* Lookup.swift: writes an item. A valid refresh token is dropped only on purpose. */
inline write(x, newToken, newRefresh, isGrant, isRefused, onPurpose) {
    if
    :: item[x].refresh && item[x].refresh != newRefresh && !spent[item[x].refresh] ->
        assert(onPurpose);
        given[item[x].refresh] = true
    :: else
    fi;
    if      /* which of two grants is older */
    :: isGrant && !item[x].grant -> first = (item[1 - x].grant -> 1 - x : x)
    :: !isGrant && item[x].grant -> first = (item[1 - x].grant -> 1 - x : first)
    :: else
    fi;
    item[x].token = newToken; item[x].refresh = newRefresh; item[x].grant = isGrant; item[x].refused = isRefused;
    latest = x
}

/* LibsecretKeyring.swift, `replace`: replaces an item only if it is the one that was read. The program needs two
 * calls for that, the model one step. This comparison also prevents the errors of two other rules, so it is left out
 * together with each of them. */
#define COMPARES (BREAK != overwriteOthers && BREAK != noSecondLook && BREAK != loserDeletes)
#define SAME(x) (item[x].token == token && item[x].refresh == refresh)
inline replace(x, newRefresh, isRefused, onPurpose) {
    if
    :: SAME(x) || !COMPARES -> write(x, token, newRefresh, grant, isRefused, onPurpose)
    :: else -> readable = false
    fi
}

/* The server issues a pair to one process (`hand`); if that is killed before it saves the pair, the pair is lost. */
inline issue(x) { pairs++; assert(pairs < GARBAGE); owner[pairs] = x; hand = pairs }

/* Refresh.swift, SignIn.swift (step 6): saves the pair in `hand`. git gets the token even if that fails. */
inline save(x, isRefused, onPurpose) {
    if
    :: !down -> write(x, hand, hand, true, isRefused, onPurpose)
    :: down ->
        assert(outages != before);      /* The keyring was writable at the check, so this outage is newer. */
        lost[hand] = true;
        reported = (BREAK != silentFailure)
    fi;
    assert(reported || !lost[hand]);
    answer = hand;
    hand = NOTHING
}
