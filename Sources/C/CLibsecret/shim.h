#ifndef GITSPACE_CLIBSECRET_SHIM_H
#define GITSPACE_CLIBSECRET_SHIM_H

/* GLib is included from its own module before libsecret includes it again, so that Swift has one GVariant and one
 * GError. */
#include "../CGLib/shim.h"

/* The calls that take object paths. libsecret calls them unstable, but has not changed them since 2012. They report
 * every failure, and the higher-level calls drop some (Keyrings/Libsecret/SecretServiceConnection.swift). */
#define SECRET_API_SUBJECT_TO_CHANGE
#include <libsecret/secret.h>

/* An instance of our subclass of SecretService: PromptingService in Keyrings/Libsecret/KeyringCalls.swift. */
typedef struct {
    SecretService parent;
    /* The g_get_monotonic_time() when the open prompt appeared, or 0 without one. */
    gint64 prompt_began;
} GitspaceSecretService;

#endif
