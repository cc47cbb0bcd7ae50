// OpenSSL 3, and declarations that are macros or missing from Swift's Glibc module.
#ifndef GITSPACE_CSTANDIN_SHIM_H
#define GITSPACE_CSTANDIN_SHIM_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <sys/socket.h>

// A GNU extension, declared here because the module is compiled without _GNU_SOURCE.
extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

/// The event of poll(2) for a closed sending side, which needs _GNU_SOURCE too.
enum { GITSPACE_POLLRDHUP = 0x2000 };

/// Makes a key on the curve P-256; returns NULL on failure.
static inline EVP_PKEY *gitspace_new_key(void) {
    return EVP_EC_gen("P-256");
}

#endif
