// OpenSSL 3's digests, MACs and signatures, and inline shims for its macros.
#ifndef TRANSFERD_COPENSSL_H
#define TRANSFERD_COPENSSL_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

// EVP_PKEY_PUBLIC_KEY is an expression that Swift cannot import.
static inline int transferd_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

// OSSL_PARAM keeps the pointer to its key. A string macro is imported as a Swift String, whose C
// copy is gone after the call; these are literals, which stay.
static inline const char *transferd_param_digest(void) { return OSSL_MAC_PARAM_DIGEST; }
static inline const char *transferd_param_rsa_n(void) { return OSSL_PKEY_PARAM_RSA_N; }
static inline const char *transferd_param_rsa_e(void) { return OSSL_PKEY_PARAM_RSA_E; }
static inline const char *transferd_param_group(void) { return OSSL_PKEY_PARAM_GROUP_NAME; }
static inline const char *transferd_param_public_key(void) { return OSSL_PKEY_PARAM_PUB_KEY; }

#endif
