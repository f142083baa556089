-- The ledger of one bank, on SQLite.
--
-- One transaction writes everything that one transfer means: its outcome, its row, its two postings,
-- the debtor's new balance, its outbox row and its change event. There is no row that says "in
-- progress": what did not commit did not happen.
--
-- Conventions: ids are 16-byte UUIDs (version 7 where we make them); times are microseconds since
-- 1970-01-01T00:00:00Z; amounts are minor units of their currency; days are days since 1970-01-01 in
-- the bank's business time zone. Every row carries its customer_id, so that all rows of one customer
-- can live in one place.

-- Who may pay. A customer appears with the first account, or with the first intent.
CREATE TABLE customers (
    customer_id TEXT    NOT NULL PRIMARY KEY CHECK (length(customer_id) BETWEEN 1 AND 64),
    -- 1: still sees the truth and replays, executes nothing new.
    restricted  INTEGER NOT NULL DEFAULT 0 CHECK (restricted IN (0, 1)),
    created_at  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What money is in. balance, usage_day, used_today and last_posting_id change with every posting.
CREATE TABLE accounts (
    customer_id        TEXT    NOT NULL REFERENCES customers (customer_id),
    account_id         BLOB    NOT NULL CHECK (length(account_id) = 16),
    iban               TEXT    NOT NULL CHECK (length(iban) BETWEEN 5 AND 34),
    currency           TEXT    NOT NULL CHECK (length(currency) = 3),
    -- 0 active, 1 frozen, 2 closed
    status             INTEGER NOT NULL DEFAULT 0 CHECK (status IN (0, 1, 2)),
    balance            INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0),
    -- NULL: no limit of this account's own.
    per_transfer_limit INTEGER CHECK (per_transfer_limit >= 0),
    daily_limit        INTEGER CHECK (daily_limit >= 0),
    -- The business day that used_today counts; only ever moves forward.
    usage_day          INTEGER NOT NULL DEFAULT 0,
    used_today         INTEGER NOT NULL DEFAULT 0 CHECK (used_today >= 0),
    -- Newest posting; each posting names the one before, so a statement needs no index.
    last_posting_id    INTEGER,
    opened_at          INTEGER NOT NULL,
    PRIMARY KEY (customer_id, account_id)
) STRICT;

-- Whose account an IBAN is. Written only when an account is opened.
CREATE TABLE account_ibans (
    iban        TEXT NOT NULL PRIMARY KEY,
    customer_id TEXT NOT NULL,
    account_id  BLOB NOT NULL,
    FOREIGN KEY (customer_id, account_id) REFERENCES accounts (customer_id, account_id)
) STRICT, WITHOUT ROWID;

-- Payees that nobody may pay.
CREATE TABLE blocked_beneficiaries (
    iban       TEXT    NOT NULL PRIMARY KEY CHECK (length(iban) BETWEEN 5 AND 34),
    blocked_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The first attempt's committed result of each intent. The unique constraint is the guarantee that
-- an intent executes at most once. No row is ever deleted; only body may be dropped.
CREATE TABLE outcomes (
    outcome_id          INTEGER NOT NULL PRIMARY KEY,
    customer_id         TEXT    NOT NULL,
    idempotency_key     BLOB    NOT NULL CHECK (length(idempotency_key) = 16),
    -- 1 executed, 2 rejected, 3 expired, 4 revoked
    kind                INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 4),
    -- SHA-256 of the normalised intent, and the version of its encoding; NULL for a revoked one.
    fingerprint         BLOB    CHECK (length(fingerprint) = 32),
    fingerprint_version INTEGER,
    transfer_id         BLOB    CHECK (length(transfer_id) = 16),
    status_code         INTEGER NOT NULL CHECK (status_code BETWEEN 200 AND 499),
    -- 0 application/json, 1 application/problem+json
    content_type        INTEGER NOT NULL CHECK (content_type IN (0, 1)),
    -- The bytes that were answered, and will be answered again.
    body                BLOB,
    received_at         INTEGER NOT NULL,
    committed_at        INTEGER NOT NULL,
    CHECK ((kind = 4) = (fingerprint IS NULL)),
    CHECK ((kind = 4) = (transfer_id IS NULL)),
    CHECK ((fingerprint IS NULL) = (fingerprint_version IS NULL)),
    UNIQUE (customer_id, idempotency_key)
) STRICT;

-- One payment, or one refusal to pay, and where it stands now.
CREATE TABLE transfers (
    transfer_id               BLOB    NOT NULL PRIMARY KEY CHECK (length(transfer_id) = 16),
    customer_id               TEXT    NOT NULL,
    idempotency_key           BLOB    NOT NULL CHECK (length(idempotency_key) = 16),
    -- 1 accepted, 2 held, 3 submitted, 4 settled, 5 returned, 6 unknown, 7 rejected, 8 expired
    state                     INTEGER NOT NULL CHECK (state BETWEEN 1 AND 8),
    -- Why it was rejected or returned.
    reason                    INTEGER,
    debtor_iban               TEXT    NOT NULL,
    -- NULL where the debtor's IBAN is no account of this customer.
    debtor_account_id         BLOB,
    currency                  TEXT    NOT NULL CHECK (length(currency) = 3),
    amount                    INTEGER NOT NULL CHECK (amount > 0),
    creditor_iban             TEXT    NOT NULL,
    creditor_name             TEXT    NOT NULL,
    remittance_information    TEXT,
    end_to_end_identification TEXT,
    -- The phone's clock: observed, never used.
    confirmed_at              INTEGER,
    request_id                TEXT    NOT NULL,
    -- The day whose limit this transfer used.
    business_day              INTEGER NOT NULL,
    -- First of the two postings of the execution, and of the return; the second has the next id.
    posting_id                INTEGER,
    return_posting_id         INTEGER,
    -- Newest change event of this transfer; each event names the one before.
    last_sequence             INTEGER NOT NULL,
    created_at                INTEGER NOT NULL,
    updated_at                INTEGER NOT NULL,
    CHECK ((state IN (7, 8)) = (posting_id IS NULL)),
    CHECK ((state = 5) = (return_posting_id IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Double entry: rows come in pairs with ids n and n + 1 that sum to zero. Never changed.
CREATE TABLE postings (
    posting_id          INTEGER NOT NULL PRIMARY KEY,
    customer_id         TEXT    NOT NULL,
    -- The transfer, or the opening of an account, that this is part of.
    entry_id            BLOB    NOT NULL CHECK (length(entry_id) = 16),
    -- 0 a customer's account, 1 in transit, 2 funding of opening balances
    ledger_account      INTEGER NOT NULL CHECK (ledger_account IN (0, 1, 2)),
    account_id          BLOB,
    currency            TEXT    NOT NULL CHECK (length(currency) = 3),
    amount              INTEGER NOT NULL CHECK (amount <> 0),
    -- The posting before this one on the same customer's account.
    previous_posting_id INTEGER,
    created_at          INTEGER NOT NULL,
    CHECK ((ledger_account = 0) = (account_id IS NOT NULL)),
    CHECK (previous_posting_id IS NULL OR previous_posting_id < posting_id)
) STRICT;

-- What settlement still has to do; a row goes when its transfer has reached its end.
CREATE TABLE outbox (
    outbox_id   INTEGER NOT NULL PRIMARY KEY,
    customer_id TEXT    NOT NULL,
    transfer_id BLOB    NOT NULL CHECK (length(transfer_id) = 16),
    -- 1 book (the payee's account is in this bank), 2 scheme (elsewhere)
    connector   INTEGER NOT NULL CHECK (connector IN (1, 2))
) STRICT;
CREATE INDEX outbox_book ON outbox (outbox_id) WHERE connector = 1;

-- The payee's side of a booking inside this bank: one decision for ever.
CREATE TABLE credits (
    customer_id TEXT    NOT NULL,
    transfer_id BLOB    NOT NULL CHECK (length(transfer_id) = 16),
    account_id  BLOB    NOT NULL,
    -- 1 credited, 2 refused
    decision    INTEGER NOT NULL CHECK (decision IN (1, 2)),
    reason      INTEGER,
    posting_id  INTEGER,
    decided_at  INTEGER NOT NULL,
    PRIMARY KEY (customer_id, transfer_id),
    CHECK ((decision = 1) = (posting_id IS NOT NULL)),
    CHECK ((decision = 2) = (reason IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Every change of every transfer, numbered per customer without gaps in commit order.
CREATE TABLE events (
    customer_id       TEXT    NOT NULL,
    sequence          INTEGER NOT NULL CHECK (sequence > 0),
    transfer_id       BLOB    NOT NULL CHECK (length(transfer_id) = 16),
    state             INTEGER NOT NULL CHECK (state BETWEEN 1 AND 8),
    -- The event before this one of the same transfer.
    previous_sequence INTEGER CHECK (previous_sequence < sequence),
    at                INTEGER NOT NULL,
    PRIMARY KEY (customer_id, sequence)
) STRICT, WITHOUT ROWID;

-- Small facts about this bank, such as the demo's token issuer.
CREATE TABLE settings (
    name  TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
