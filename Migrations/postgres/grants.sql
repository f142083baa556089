-- What the run-time role may do, and no more: it changes no table's form, and takes back no outcome,
-- transfer, posting, event or credit. The setting transferd.runtime_role names it. Runs after the
-- migrations, as often as one likes.
DO $$
DECLARE
    role text := quote_ident(current_setting('transferd.runtime_role'));
BEGIN
    EXECUTE format('GRANT USAGE ON SCHEMA transferd TO %s', role);
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA transferd TO %s', role);
    EXECUTE format(
        'GRANT INSERT ON transferd.customers, transferd.accounts, transferd.account_ibans,'
        ' transferd.blocked_beneficiaries, transferd.outcomes, transferd.transfers,'
        ' transferd.postings, transferd.outbox, transferd.credits, transferd.events,'
        ' transferd.settings, transferd.revocations TO %s', role);
    EXECUTE format('GRANT UPDATE (restricted) ON transferd.customers TO %s', role);
    EXECUTE format(
        'GRANT UPDATE (status, balance, per_transfer_limit, daily_limit, usage_day, used_today,'
        ' last_posting_id) ON transferd.accounts TO %s', role);
    EXECUTE format('GRANT UPDATE (body) ON transferd.outcomes TO %s', role);
    EXECUTE format(
        'GRANT UPDATE (state, reason, return_posting_id, last_sequence, updated_at)'
        ' ON transferd.transfers TO %s', role);
    EXECUTE format('GRANT UPDATE (revoked_at), DELETE ON transferd.revocations TO %s', role);
    EXECUTE format('GRANT DELETE ON transferd.outbox TO %s', role);
    EXECUTE format('GRANT UPDATE (proven_at) ON transferd.write_proof TO %s', role);
    EXECUTE format('GRANT USAGE ON SEQUENCE transferd.posting_blocks TO %s', role);
END
$$;
