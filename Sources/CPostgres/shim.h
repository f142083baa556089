// PostgreSQL's client library. Declarations only: nothing of it is variadic that is used here.
#ifndef TRANSFERD_CPOSTGRES_H
#define TRANSFERD_CPOSTGRES_H

// Debian keeps its headers in a folder of their own.
#if __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#else
#include <libpq-fe.h>
#endif

#endif
