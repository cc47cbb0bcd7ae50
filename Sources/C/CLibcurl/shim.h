// Wrappers for libcurl's variadic functions, which Swift cannot call: one for each purpose, so that option and type
// cannot mismatch. Each returns the first error, and no error is ignored: an option that an old libcurl lacks may be
// the one that protects a token.
#ifndef GITSPACE_CLIBCURL_SHIM_H
#define GITSPACE_CLIBCURL_SHIM_H

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#define GITSPACE_CURL_TRY(setting)              \
    do {                                        \
        CURLcode refusal = (setting);           \
        if (refusal != CURLE_OK) return refusal; \
    } while (0)

/// Writes a host's name as it is looked up, `xn--…` (RFC 5891), to `form`, of `size` bytes; returns 0 if this libcurl
/// cannot convert it.
static inline int gitspace_curl_ascii_name(const char *name, char *form, size_t size) {
    int is_known = 0;
#ifdef CURLU_PUNYCODE
    char *host = NULL;
    CURLU *url = curl_url();
    if (url != NULL && curl_url_set(url, CURLUPART_SCHEME, "https", 0) == CURLUE_OK &&
        curl_url_set(url, CURLUPART_HOST, name, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_HOST, &host, CURLU_PUNYCODE) == CURLUE_OK && strlen(host) < size) {
        strcpy(form, host);
        is_known = 1;
    }
    curl_free(host);
    curl_url_cleanup(url);
#endif
    return is_known;
}

/// Allows https alone, by HTTP 1.1, and refuses a user name in an address.
static inline CURLcode gitspace_curl_speak_https_only(CURL *handle) {
#if LIBCURL_VERSION_NUM >= 0x075500
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "https"));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS_STR, "https"));
#else
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_PROTOCOLS, (long)CURLPROTO_HTTPS));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_REDIR_PROTOCOLS, (long)CURLPROTO_HTTPS));
#endif
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_DEFAULT_PROTOCOL, "https"));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1));
    return curl_easy_setopt(handle, CURLOPT_HTTP09_ALLOWED, 0L);
}

/// Follows no redirect.
static inline CURLcode gitspace_curl_stay_on_host(CURL *handle) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_FOLLOWLOCATION, 0L));
    return curl_easy_setopt(handle, CURLOPT_MAXREDIRS, 0L);
}

/// Verifies certificate and name of the host and of an https proxy, and accepts TLS 1.2 or later only.
static inline CURLcode gitspace_curl_verify(CURL *handle) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 1L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 2L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSL_SESSIONID_CACHE, 0L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_PROXY_SSL_VERIFYPEER, 1L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_PROXY_SSL_VERIFYHOST, 2L));
    return curl_easy_setopt(handle, CURLOPT_PROXY_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
}

static inline CURLcode gitspace_curl_trust_file(CURL *handle, const char *path) {
    return curl_easy_setopt(handle, CURLOPT_CAINFO, path);
}

/// Trusts the certificates in a directory of hash links.
static inline CURLcode gitspace_curl_trust_directory(CURL *handle, const char *path) {
    return curl_easy_setopt(handle, CURLOPT_CAPATH, path);
}

/// Sends a certificate to a host that requests one. Without `key`, the key is in the same file; without a type, a file
/// is PEM. An empty password keeps OpenSSL from asking at the terminal. libcurl keeps copies.
static inline CURLcode gitspace_curl_show_certificate(
    CURL *handle, const char *file, const char *type, const char *key, const char *key_type, const char *password) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSLCERT, file));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSLCERTTYPE, type));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSLKEYTYPE, key_type));
    if (key != NULL) GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_SSLKEY, key));
    return curl_easy_setopt(handle, CURLOPT_KEYPASSWD, password);
}

/// Adds no credential to those of the request: no ~/.netrc, no authentication of libcurl's own. A proxy never gets the
/// request's header fields, at most the name and password of its address.
static inline CURLcode gitspace_curl_add_no_credentials(CURL *handle) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_HTTPAUTH, (long)CURLAUTH_NONE));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_UNRESTRICTED_AUTH, 0L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE));
    return curl_easy_setopt(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
}

/// Limits the milliseconds to connect, the milliseconds in total, and the seconds without a byte. Uses no signals, and
/// does not wait for an abandoned name lookup.
static inline CURLcode gitspace_curl_limit_time(CURL *handle, long connect, long total, long silence) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, connect));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, total));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, silence));
#if LIBCURL_VERSION_NUM >= 0x075700
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_QUICK_EXIT, 1L));
#endif
    return curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
}

/// Writes the host of a proxy's address to `name`, of `size` bytes, and returns the port as libcurl reads it, or 0 if
/// the address is invalid.
static inline long gitspace_curl_proxy_place(const char *proxy, char *name, size_t size) {
    long result = 0;
    char *host = NULL, *port = NULL, *scheme = NULL;
    CURLU *url = curl_url();
    if (url != NULL && curl_url_set(url, CURLUPART_URL, proxy, CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK && strlen(host) < size &&
        curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK) {
        strcpy(name, host);
        result = strcmp(scheme, "https") == 0 ? 443 : 1080;
        if (curl_url_get(url, CURLUPART_PORT, &port, 0) == CURLUE_OK) result = strtol(port, NULL, 10);
    }
    curl_free(host);
    curl_free(port);
    curl_free(scheme);
    curl_url_cleanup(url);
    return result;
}

/// Uses lines of the form `NAME:PORT:ADDRESS,ADDRESS` instead of looking the names up. libcurl keeps the pointer until
/// the next transfer, and the contents of the lines.
static inline CURLcode gitspace_curl_know(CURL *handle, struct curl_slist *lines) {
    return curl_easy_setopt(handle, CURLOPT_RESOLVE, lines);
}

/// Sets the proxy; an empty address means none, even if the environment names one.
static inline CURLcode gitspace_curl_use_proxy(CURL *handle, const char *address) {
    return curl_easy_setopt(handle, CURLOPT_PROXY, address);
}

/// Sets the name and password for the proxy. libcurl keeps copies.
static inline CURLcode gitspace_curl_sign_in_to_proxy(CURL *handle, const char *username, const char *password) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_PROXYUSERNAME, username));
    return curl_easy_setopt(handle, CURLOPT_PROXYPASSWORD, password);
}

static inline CURLcode gitspace_curl_address(CURL *handle, const char *url, const char *user_agent) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_URL, url));
    return curl_easy_setopt(handle, CURLOPT_USERAGENT, user_agent);
}

/// Sets the header fields. libcurl keeps the pointer.
static inline CURLcode gitspace_curl_send_headers(CURL *handle, const struct curl_slist *lines) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, lines);
}

static inline CURLcode gitspace_curl_send_method(CURL *handle, const char *method) {
    return curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, method);
}

/// Sets the body. libcurl keeps the pointer (CURLOPT_COPYPOSTFIELDS would leave a copy behind).
static inline CURLcode gitspace_curl_send_body(CURL *handle, const void *bytes, curl_off_t count) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count));
    return curl_easy_setopt(handle, CURLOPT_POSTFIELDS, (const char *)bytes);
}

/// Sends the bytes that `next` returns: `count` of them or, if it is negative, chunks, which the request has to
/// announce itself.
static inline CURLcode gitspace_curl_stream_body(
    CURL *handle, curl_read_callback next, void *context, curl_off_t count) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_POST, 1L));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_READFUNCTION, next));
    return curl_easy_setopt(handle, CURLOPT_READDATA, context);
}

/// Sets the size of libcurl's buffers, and replaces a connection that was idle for more than `longest_idle` seconds:
/// the host may be about to close it, and nothing can be sent twice.
static inline CURLcode gitspace_curl_stream(CURL *handle, long bytes, long longest_idle) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_MAXAGE_CONN, longest_idle));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_UPLOAD_BUFFERSIZE, bytes));
    return curl_easy_setopt(handle, CURLOPT_BUFFERSIZE, bytes);
}

/// Sets the callbacks for header lines, the body, and the moment before sending.
static inline CURLcode gitspace_curl_receive(
    CURL *handle, curl_write_callback header, curl_write_callback body, curl_prereq_callback before_sending,
    void *context) {
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, header));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_HEADERDATA, context));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, body));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_WRITEDATA, context));
    GITSPACE_CURL_TRY(curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, before_sending));
    return curl_easy_setopt(handle, CURLOPT_PREREQDATA, context);
}

/// Writes libcurl's messages to `buffer`, of CURL_ERROR_SIZE bytes. libcurl keeps the pointer.
static inline CURLcode gitspace_curl_explain_to(CURL *handle, char *buffer) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

/// The status of a proxy's response to CONNECT, or 0.
static inline long gitspace_curl_proxy_status(CURL *handle) {
    long status = 0;
    return curl_easy_getinfo(handle, CURLINFO_HTTP_CONNECTCODE, &status) == CURLE_OK ? status : 0;
}

#undef GITSPACE_CURL_TRY
#endif
