-- Whose access has been taken away. A token is refused when its subject, its session or its own id
-- stands here, before anything is replayed.
CREATE TABLE revocations (
    -- 1 customer (sub), 2 session (sid), 3 token (jti)
    kind       INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
    value      TEXT    NOT NULL CHECK (length(value) BETWEEN 1 AND 256),
    revoked_at INTEGER NOT NULL,
    PRIMARY KEY (kind, value)
) STRICT, WITHOUT ROWID;
