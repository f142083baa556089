-- The ledger of one bank, on PostgreSQL: the same tables as on SQLite, for many writers at once.
--
-- One transaction writes everything that one transfer means: its outcome, its row, its two postings,
-- the debtor's new balance, its outbox row and its change event. There is no row that says "in
-- progress": what did not commit did not happen.
--
-- Whoever writes a customer's rows holds the lock of that customer's row in customers, so that the
-- rows of one customer change in one order. Every key begins with customer_id, and a transaction's
-- commands write one customer's rows each: an engine that distributes tables by customer_id can
-- carry this schema. The small tables without a customer (account_ibans, blocked_beneficiaries,
-- revocations, settings, write_proof) are read everywhere and seldom written.
--
-- Conventions: ids are UUIDs (version 7 where we make them); amounts are minor units of their
-- currency; days are dates in the bank's business time zone. Texts that are compared or ordered have
-- the collation C, because the order of locks must not depend on a machine's language.

-- Who may pay. A customer appears with the first account, or with the first intent. Its row's lock
-- is the one lock of all that is the customer's.
CREATE TABLE transferd.customers (
    customer_id text COLLATE "C" NOT NULL PRIMARY KEY
        CHECK (octet_length(customer_id) BETWEEN 1 AND 64),
    -- True: still sees the truth and replays, executes nothing new.
    restricted  boolean     NOT NULL DEFAULT false,
    created_at  timestamptz NOT NULL
);

-- What money is in. balance, usage_day, used_today and last_posting_id change with every posting,
-- which is why half of each page is left free: the new version of a row finds room beside the old.
CREATE TABLE transferd.accounts (
    customer_id        text COLLATE "C" NOT NULL REFERENCES transferd.customers (customer_id),
    account_id         uuid        NOT NULL,
    iban               text COLLATE "C" NOT NULL CHECK (octet_length(iban) BETWEEN 5 AND 34),
    currency           text COLLATE "C" NOT NULL CHECK (octet_length(currency) = 3),
    -- 0 active, 1 frozen, 2 closed
    status             smallint    NOT NULL DEFAULT 0 CHECK (status IN (0, 1, 2)),
    balance            bigint      NOT NULL DEFAULT 0 CHECK (balance >= 0),
    -- NULL: no limit of this account's own.
    per_transfer_limit bigint      CHECK (per_transfer_limit >= 0),
    daily_limit        bigint      CHECK (daily_limit >= 0),
    -- The business day that used_today counts; only ever moves forward.
    usage_day          date        NOT NULL DEFAULT '1970-01-01',
    used_today         bigint      NOT NULL DEFAULT 0 CHECK (used_today >= 0),
    -- Newest posting; each posting names the one before, so a statement needs no index of its own.
    last_posting_id    bigint,
    opened_at          timestamptz NOT NULL,
    PRIMARY KEY (customer_id, account_id)
) WITH (fillfactor = 50);

-- Whose account an IBAN is: the one key that does not begin with a customer. Written only when an
-- account is opened. No foreign key, so that it can be copied to every part of a distributed engine.
CREATE TABLE transferd.account_ibans (
    iban        text COLLATE "C" NOT NULL PRIMARY KEY,
    customer_id text COLLATE "C" NOT NULL,
    account_id  uuid NOT NULL
);

-- Payees that nobody may pay.
CREATE TABLE transferd.blocked_beneficiaries (
    iban       text COLLATE "C" NOT NULL PRIMARY KEY CHECK (octet_length(iban) BETWEEN 5 AND 34),
    blocked_at timestamptz NOT NULL
);

-- The first attempt's committed result of each intent. The primary key is the guarantee that an
-- intent executes at most once. No row is ever deleted; only body may be dropped.
CREATE TABLE transferd.outcomes (
    customer_id         text COLLATE "C" NOT NULL,
    idempotency_key     uuid        NOT NULL,
    -- 1 executed, 2 rejected, 3 expired, 4 revoked
    kind                smallint    NOT NULL CHECK (kind BETWEEN 1 AND 4),
    -- SHA-256 of the normalised intent, and the version of its encoding; NULL for a revoked one.
    fingerprint         bytea       CHECK (octet_length(fingerprint) = 32),
    fingerprint_version smallint,
    transfer_id         uuid,
    status_code         smallint    NOT NULL CHECK (status_code BETWEEN 200 AND 499),
    -- 0 application/json, 1 application/problem+json
    content_type        smallint    NOT NULL CHECK (content_type IN (0, 1)),
    -- The bytes that were answered, and will be answered again.
    body                bytea,
    received_at         timestamptz NOT NULL,
    committed_at        timestamptz NOT NULL,
    PRIMARY KEY (customer_id, idempotency_key),
    -- Revoked: there is neither content nor a transfer.
    CHECK ((kind = 4) = (fingerprint IS NULL)),
    CHECK ((kind = 4) = (transfer_id IS NULL)),
    CHECK ((fingerprint IS NULL) = (fingerprint_version IS NULL))
);
-- Compressing an answer costs more than its bytes.
ALTER TABLE transferd.outcomes ALTER COLUMN body SET STORAGE EXTERNAL;
-- Bodies that are still kept, for retention. It grows at one end.
CREATE INDEX outcomes_bodies ON transferd.outcomes (committed_at)
    WHERE body IS NOT NULL AND kind <> 4;

-- One payment, or one refusal to pay, and where it stands now.
CREATE TABLE transferd.transfers (
    customer_id               text COLLATE "C" NOT NULL,
    transfer_id               uuid        NOT NULL,
    idempotency_key           uuid        NOT NULL,
    -- 1 accepted, 2 held, 3 submitted, 4 settled, 5 returned, 6 unknown, 7 rejected, 8 expired
    state                     smallint    NOT NULL CHECK (state BETWEEN 1 AND 8),
    -- Why it was rejected or returned.
    reason                    smallint,
    debtor_iban               text COLLATE "C" NOT NULL,
    -- NULL where the debtor's IBAN is no account of this customer.
    debtor_account_id         uuid,
    currency                  text COLLATE "C" NOT NULL CHECK (octet_length(currency) = 3),
    amount                    bigint      NOT NULL CHECK (amount > 0),
    creditor_iban             text COLLATE "C" NOT NULL,
    creditor_name             text        NOT NULL,
    remittance_information    text,
    end_to_end_identification text,
    -- The phone's clock: observed, never used.
    confirmed_at              timestamptz,
    request_id                text        NOT NULL,
    -- The day whose limit this transfer used.
    business_day              date        NOT NULL,
    -- First of the two postings of the execution, and of the return; the second has the next id.
    posting_id                bigint,
    return_posting_id         bigint,
    -- Newest change event of this transfer; each event names the one before.
    last_sequence             bigint      NOT NULL,
    created_at                timestamptz NOT NULL,
    updated_at                timestamptz NOT NULL,
    PRIMARY KEY (customer_id, transfer_id),
    -- What was refused moved no money; what came back has the postings of it.
    CHECK ((state IN (7, 8)) = (posting_id IS NULL)),
    CHECK ((state = 5) = (return_posting_id IS NOT NULL))
) WITH (fillfactor = 80);

-- Double entry: rows come in pairs with ids n and n + 1, n odd, that sum to zero. Never changed.
CREATE TABLE transferd.postings (
    customer_id         text COLLATE "C" NOT NULL,
    posting_id          bigint      NOT NULL,
    -- The transfer, or the opening of an account, that this is part of.
    entry_id            uuid        NOT NULL,
    -- 0 a customer's account, 1 in transit, 2 funding of opening balances
    ledger_account      smallint    NOT NULL CHECK (ledger_account IN (0, 1, 2)),
    account_id          uuid,
    currency            text COLLATE "C" NOT NULL CHECK (octet_length(currency) = 3),
    amount              bigint      NOT NULL CHECK (amount <> 0),
    -- The posting before this one on the same customer's account.
    previous_posting_id bigint,
    created_at          timestamptz NOT NULL,
    PRIMARY KEY (customer_id, posting_id),
    CHECK ((ledger_account = 0) = (account_id IS NOT NULL)),
    -- A chain leads back in time.
    CHECK (previous_posting_id IS NULL OR previous_posting_id < posting_id)
);
-- Writers take ids in blocks of this many, so that a posting costs no call. A block is taken with
-- the lock of a customer held, so that ids grow along each account.
CREATE SEQUENCE transferd.posting_blocks AS bigint START 1 INCREMENT 65536;

-- What settlement still has to do; a row goes when its transfer has reached its end.
CREATE TABLE transferd.outbox (
    customer_id text COLLATE "C" NOT NULL,
    transfer_id uuid     NOT NULL,
    outbox_id   bigint   NOT NULL GENERATED ALWAYS AS IDENTITY,
    -- 1 book (the payee's account is in this bank), 2 scheme (elsewhere)
    connector   smallint NOT NULL CHECK (connector IN (1, 2)),
    PRIMARY KEY (customer_id, transfer_id)
);
CREATE INDEX outbox_order ON transferd.outbox (connector, outbox_id);

-- The payee's side of a booking inside this bank: one decision for ever.
CREATE TABLE transferd.credits (
    customer_id text COLLATE "C" NOT NULL,
    transfer_id uuid        NOT NULL,
    account_id  uuid        NOT NULL,
    -- 1 credited, 2 refused
    decision    smallint    NOT NULL CHECK (decision IN (1, 2)),
    reason      smallint,
    posting_id  bigint,
    decided_at  timestamptz NOT NULL,
    PRIMARY KEY (customer_id, transfer_id),
    -- Money came, or a reason why not.
    CHECK ((decision = 1) = (posting_id IS NOT NULL)),
    CHECK ((decision = 2) = (reason IS NOT NULL))
);

-- Every change of every transfer, numbered per customer without gaps in commit order.
CREATE TABLE transferd.events (
    customer_id       text COLLATE "C" NOT NULL,
    sequence          bigint      NOT NULL CHECK (sequence > 0),
    transfer_id       uuid        NOT NULL,
    state             smallint    NOT NULL CHECK (state BETWEEN 1 AND 8),
    -- The event before this one of the same transfer.
    previous_sequence bigint      CHECK (previous_sequence < sequence),
    at                timestamptz NOT NULL,
    PRIMARY KEY (customer_id, sequence)
);

-- Small facts about this bank, such as the demo's token issuer.
CREATE TABLE transferd.settings (
    name  text COLLATE "C" NOT NULL PRIMARY KEY,
    value bytea NOT NULL
);

-- Whose access has been taken away. A token is refused when its subject, its session or its own id
-- stands here, before anything is replayed.
CREATE TABLE transferd.revocations (
    -- 1 customer (sub), 2 session (sid), 3 token (jti)
    kind       smallint    NOT NULL CHECK (kind IN (1, 2, 3)),
    value      text COLLATE "C" NOT NULL CHECK (char_length(value) BETWEEN 1 AND 256),
    revoked_at timestamptz NOT NULL,
    PRIMARY KEY (kind, value)
);

-- One row that is written when nothing else is: a commit that waited for the standby proves that
-- what was read before it is there too.
CREATE TABLE transferd.write_proof (
    single    boolean     NOT NULL PRIMARY KEY DEFAULT true CHECK (single),
    proven_at timestamptz NOT NULL
);
INSERT INTO transferd.write_proof (proven_at) VALUES ('1970-01-01 00:00:00+00');
