#ifndef GITSPACE_CLIBSECRET_SHIM_H
#define GITSPACE_CLIBSECRET_SHIM_H

/* GLib from its own module, and before libsecret, which would include it again: then there is one GVariant and one GError
 * in Swift, whichever module a file imports. */
#include "../CGLib/shim.h"

/* The calls that take object paths. libsecret names them unstable, yet has kept them as they are since 2012; they tell
 * of every failure, where the calls above them drop some (Keyrings/Libsecret/SecretServiceConnection.swift). */
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>

/* An instance of our subclass of SecretService: PromptingService in
 * Keyrings/Libsecret/SecretServiceConnection+Collections.swift. */
typedef struct {
    SecretService parent;
    /* When the prompt that is open now was put up, as g_get_monotonic_time(); 0 if none is. */
    gint64 prompt_began;
} GitspaceSecretService;

#endif
