#!/usr/bin/env python3
"""seed.py DATABASE FOLDER SECRET [CUSTOMERS]: fund customers of a migrated SQLite database for a load.

Writes FOLDER/customers.tsv (customer, debtor IBAN, creditor IBAN, token) for the load generator. Each
account gets its opening balance as postings from the funding account, so that `verify` holds.
"""
import base64, hashlib, hmac, json, os, sqlite3, sys, time, uuid


def iban(country, bban):
    digits = "".join(str(int(c, 36)) for c in bban + country + "00")
    return f"{country}{98 - int(digits) % 97:02d}{bban}"


def b64(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def token(secret, customer, now):
    head = b64(b'{"alg":"HS256","typ":"JWT"}')
    claims = {"iss": "bench", "aud": "transferd", "sub": customer, "iat": now, "exp": now + 86400,
              "scope": "transfers:read transfers:write accounts:read"}
    signed = head + b"." + b64(json.dumps(claims).encode())
    return (signed + b"." + b64(hmac.new(secret, signed, hashlib.sha256).digest())).decode()


def main():
    database, folder, secret = sys.argv[1:4]
    count = int(sys.argv[4]) if len(sys.argv) > 4 else 2000
    opening, now = 10_000_000_000, int(time.time())
    db = sqlite3.connect(database)
    micros, posting = now * 1_000_000, 1
    with db, open(os.path.join(folder, "customers.tsv"), "w") as out:
        for n in range(count):
            customer = f"customer-{n:06d}"
            debtor = iban("DE", f"37040044{n:010d}")
            creditor = iban("NL", f"ABNA{n:010d}")
            account, entry = uuid.uuid4().bytes, uuid.uuid4().bytes
            db.execute("INSERT INTO customers (customer_id, created_at) VALUES (?, ?)",
                       (customer, micros))
            db.execute(
                "INSERT INTO accounts (customer_id, account_id, iban, currency, balance,"
                " last_posting_id, opened_at) VALUES (?, ?, ?, 'EUR', ?, ?, ?)",
                (customer, account, debtor, opening, posting, micros))
            db.execute("INSERT INTO account_ibans VALUES (?, ?, ?)", (debtor, customer, account))
            for number, kind, name, amount in ((posting, 0, account, opening),
                                               (posting + 1, 2, None, -opening)):
                db.execute(
                    "INSERT INTO postings (posting_id, customer_id, entry_id, ledger_account,"
                    " account_id, currency, amount, created_at) VALUES (?, ?, ?, ?, ?, 'EUR', ?, ?)",
                    (number, customer, entry, kind, name, amount, micros))
            posting += 2
            out.write("\t".join((customer, debtor, creditor, token(secret.encode(), customer, now))))
            out.write("\n")


main()
