/* settings.pml: the events of a run, and the rule that it leaves out. model.sh sets these with -D. */

#ifndef ACCOUNTS
#define ACCOUNTS 1          /* how many accounts have a grant at the beginning */
#endif
#ifndef CRASHES
#define CRASHES 0           /* how many processes may be killed */
#endif
#ifndef OUTAGES
#define OUTAGES 0           /* how often the keyring may be locked or unreachable, for a while or for good */
#endif
#ifndef EXPIRIES
#define EXPIRIES 0          /* how often all access tokens may expire */
#endif
#ifndef MINUTES
#define MINUTES 0           /* how often a minute may pass */
#endif
#ifndef FAULTS
#define FAULTS false        /* whether requests may fail on the way, or be rejected because of a client's mistake */
#endif
#ifndef REVOCATIONS
#define REVOCATIONS false   /* whether a person may revoke a grant at the server */
#endif
#ifndef DEADLINES
#define DEADLINES false     /* whether the wait for a lock may reach its deadline */
#endif
#ifndef PERSON
#define PERSON false        /* whether a person is there to sign in */
#endif
#ifndef APART
#define APART false         /* whether each process has a place for locks of its own, so that no lock keeps others out */
#endif
#ifndef PLACELESS
#define PLACELESS false     /* whether there may be no place for locks */
#endif

/* The rules. BREAK=name leaves out the rule beside that name. */
#define refreshWithoutLock 1        /* a refresh takes the account's lock */
#define refreshWithoutPlace 2       /* without a place for locks, nothing is refreshed */
#define noSecondLook 3              /* a refresh reads the item again inside the lock, before it spends the token */
#define spendUnchecked 4            /* no token is spent before the keyring is known to be writable */
#define saveAfterUnlock 5           /* the new pair is saved before the lock is released */
#define silentFailure 6             /* a failed save is reported */
#define loserDeletes 7              /* a spent refresh token is dropped inside the lock, if it is still stored */
#define refreshAgain 8              /* a refresh stops at the second rejection in a minute too */
#define storeUnguarded 9            /* a store never changes a grant that is live or renewable */
#define storeWithoutLock 10         /* a store reads and writes inside the account's lock */
#define storeWhenUnreadable 11      /* a store changes no item that it cannot read */
#define eraseWithoutLock 12         /* an erase reads and writes inside the account's lock */
#define eraseWithoutSecondLook 13   /* inside the lock, an erase removes only the token that was rejected */
#define eraseTakesAll 14            /* the first rejection costs the access token alone */
#define eraseForever 15             /* the second rejection in a minute costs the refresh token too */
#define forgetful 16                /* a rejected token that could not be erased is remembered in the place for locks */
#define logoutWithoutLock 17        /* a person's erase waits for a refresh that is under way */
#define signInWithoutLock 18        /* a sign-in saves inside the account's lock */
#define latestFirst 19              /* a request without a name gets a grant, the oldest first */
#define lockOutlivesHolder 20       /* the kernel releases the locks of a process that was killed */
#define overwriteOthers 21          /* a failed refresh replaces only the item that it has read */
#define lockOfRemovedFile 22        /* a lock counts only if its file is still there when the process gets it */
#ifndef BREAK
#define BREAK 0
#endif
