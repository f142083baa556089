// OpenSSL 3's digests, MACs and signatures, and inline shims for its macros.
#ifndef TRANSFERD_COPENSSL_H
#define TRANSFERD_COPENSSL_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

// EVP_PKEY_PUBLIC_KEY is an expression that Swift cannot import.
static inline int transferd_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

#endif
