// OpenSSL 3, and what it offers only as macros.
#ifndef GITSPACE_CLIBCRYPTO_SHIM_H
#define GITSPACE_CLIBCRYPTO_SHIM_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/pemerr.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

/// The selection "public half and parameters" of EVP_PKEY_fromdata(3).
enum { GITSPACE_PUBLIC_KEY = EVP_PKEY_PUBLIC_KEY };

/// Overwrites and frees what was allocated as secret: OPENSSL_secure_clear_free(3).
static inline void gitspace_wipe_and_free(void *start, size_t count) {
    OPENSSL_secure_clear_free(start, count);
}

/// Why the last call failed, by libcrypto's number for it.
static inline int gitspace_last_reason(void) {
    return ERR_GET_REASON(ERR_peek_last_error());
}

#endif
