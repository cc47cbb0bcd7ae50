// OpenSSL 3, with functions for its macros.
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

// These functions are not in Swift because libcrypto keeps the pointers to the names that it gets, and Swift lends a
// text for one call only.

/// Returns a context that makes RSA keys.
static inline EVP_PKEY_CTX *gitspace_rsa_context(void) {
    return EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
}

/// Returns a context that makes keys on P-256, P-384 or P-521, for 32, 48 or 66 bytes per coordinate; NULL for a
/// failure.
static inline EVP_PKEY_CTX *gitspace_curve_context(int size) {
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    const char *name = size == 32 ? "P-256" : size == 48 ? "P-384" : "P-521";
    if (EVP_PKEY_paramgen_init(context) > 0 && EVP_PKEY_CTX_set_group_name(context, name) > 0) return context;
    EVP_PKEY_CTX_free(context);
    return NULL;
}

static inline EVP_PKEY *gitspace_ed25519_key(const unsigned char *point, size_t count) {
    return EVP_PKEY_new_raw_public_key_ex(NULL, "ED25519", NULL, point, count);
}

/// The numbers of an RSA key's public half, as EVP_PKEY_fromdata(3) takes them.
static inline OSSL_PARAM *gitspace_rsa_numbers(OSSL_PARAM_BLD *builder, const BIGNUM *n, const BIGNUM *e) {
    if (!OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)) return NULL;
    if (!OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e)) return NULL;
    return OSSL_PARAM_BLD_to_param(builder);
}

/// OPENSSL_secure_clear_free(3).
static inline void gitspace_wipe_and_free(void *start, size_t count) {
    OPENSSL_secure_clear_free(start, count);
}

/// libcrypto's number for the reason why the last call failed.
static inline int gitspace_last_reason(void) {
    return ERR_GET_REASON(ERR_peek_last_error());
}

#endif
