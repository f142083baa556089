// SQLite 3's C interface, and inline shims for what Swift cannot call: variadic functions and
// destructor constants that are casts.
#ifndef TRANSFERD_CSQLITE_H
#define TRANSFERD_CSQLITE_H

#include <sqlite3.h>

// The bytes stay alive until the statement is reset: SQLite need not copy them.
static inline int cs_bind_text_static(sqlite3_stmt *s, int i, const char *p, int n) {
    return sqlite3_bind_text(s, i, p, n, SQLITE_STATIC);
}
static inline int cs_bind_blob_static(sqlite3_stmt *s, int i, const void *p, int n) {
    return sqlite3_bind_blob(s, i, p, n, SQLITE_STATIC);
}
static inline int cs_bind_text_copy(sqlite3_stmt *s, int i, const char *p, int n) {
    return sqlite3_bind_text(s, i, p, n, SQLITE_TRANSIENT);
}
static inline int cs_bind_blob_copy(sqlite3_stmt *s, int i, const void *p, int n) {
    return sqlite3_bind_blob(s, i, p, n, SQLITE_TRANSIENT);
}
static inline int cs_no_checkpoint_on_close(sqlite3 *db, int on) {
    int was = 0;
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, &was);
}

// Memory statistics cost a process-wide mutex at every allocation. Before the first connection only.
static inline int cs_memory_statistics_off(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
// Whether the file that is open is no longer the one at its path. Costs one stat(2).
static inline int cs_has_moved(sqlite3 *db, int *moved) {
    return sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, moved);
}
// Macros made of macros are not visible to Swift.
static inline int cs_ioerr_fsync(void) { return SQLITE_IOERR_FSYNC; }
static inline int cs_ioerr_dir_fsync(void) { return SQLITE_IOERR_DIR_FSYNC; }

#endif
