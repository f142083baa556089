// What a program may ask of valgrind's callgrind while it runs under it; without valgrind each does
// nothing. Macros in C, hence these shims.
#ifndef TRANSFERD_CVALGRIND_H
#define TRANSFERD_CVALGRIND_H

#include <valgrind/callgrind.h>

// Forgets what was counted so far.
static inline void cv_forget(void) { CALLGRIND_ZERO_STATS; }

// Writes what was counted, on every thread, under a name, and forgets it.
static inline void cv_write(const char *name) { CALLGRIND_DUMP_STATS_AT(name); }

// Stops or goes on counting what the calling thread does.
static inline void cv_toggle(void) { CALLGRIND_TOGGLE_COLLECT; }

#endif
