"""What clients were told about each intent, and everything that they should not have been told."""
import json
import uuid

REFUSALS = {
    "insufficient_funds", "transfer_limit_exceeded", "account_frozen", "customer_restricted", "same_account",
}
BUSY = {"store_unavailable", "overloaded", "draining"}


class Intent:
    """One key with the content that its customer meant, and perhaps others that were sent with it by mistake."""

    __slots__ = ("key", "customer", "payments", "outcome", "winner", "losers", "revoked", "deletes", "firsts",
                 "complete", "number")

    def __init__(self, number, customer, payments):
        self.number = number
        self.key = str(uuid.uuid4())
        self.customer = customer
        self.payments = payments
        self.outcome = None
        self.winner = None
        self.losers = set()
        self.revoked = False
        # Whether a DELETE was ever sent.
        self.deletes = False
        self.firsts = 0
        # Whether any whole request was ever sent: else nothing may have happened.
        self.complete = False

    @property
    def is_decided(self):
        return self.outcome is not None or self.revoked


class Outcome:
    __slots__ = ("status", "body", "transfer", "code")

    def __init__(self, answer):
        self.status, self.body = answer.status, answer.body
        self.transfer = answer.json.get("transferId")
        self.code = answer.code


class Payment:
    __slots__ = ("debtor", "creditor", "currency", "cents", "name", "body")

    def __init__(self, debtor, creditor, cents, name, currency="EUR"):
        self.debtor, self.creditor, self.cents, self.name, self.currency = debtor, creditor, cents, name, currency
        self.body = json.dumps({
            "debtorAccount": {"iban": debtor}, "creditorAccount": {"iban": creditor}, "creditorName": name,
            "instructedAmount": {"currency": currency, "amount": f"{cents // 100}.{cents % 100:02}"},
        }).encode()


class Beliefs:
    def __init__(self):
        self.intents = []
        self.violations = []
        # From this intent's number downwards, answers' bytes may have been dropped.
        self.aged = -1
        self.revocations = set()

    def add(self, customer, payments):
        intent = Intent(len(self.intents), customer, payments)
        self.intents.append(intent)
        return intent

    def violated(self, text):
        self.violations.append(text)
        print(f"VIOLATION {text}", flush=True)

    def is_busy(self, answer):
        """Whether the same request shall be sent again; checks that it is told as documented."""
        if answer.status == 409 and answer.code == "in_flight":
            if answer.fields.get("retry-after") != "1":
                self.violated(f"409 without Retry-After: {answer}")
            return True
        if answer.status == 503 and answer.code in BUSY:
            if answer.fields.get("retry-after") not in {"1", "2", "3", "4", "5"}:
                self.violated(f"503 without a good Retry-After: {answer}")
            return True
        return False

    def is_revoked(self, answer, customer):
        if answer.status != 401 or answer.code != "token_revoked":
            return False
        if customer not in self.revocations:
            self.violated(f"{customer} was never revoked: {answer}")
        return True

    def heard(self, intent, content, answer):
        """The answer to a POST. True when this attempt's retries end."""
        if answer.status in (201, 402):
            self._outcome(intent, content, answer)
        elif answer.status == 422 and answer.code == "idempotency_key_reused":
            if intent.outcome is not None and intent.winner == content:
                self.violated(f"422 for the winner {intent.key}: {answer}")
            # Without a transfer it only says that other content is in flight.
            if answer.json.get("transferId"):
                intent.losers.add(content)
        elif answer.status == 410 and answer.code == "intent_revoked":
            if not intent.deletes:
                self.violated(f"nobody revoked {intent.key}: {answer}")
            self._revoked(intent, answer)
        elif answer.status == 410 and answer.code == "outcome_retired":
            if intent.number > self.aged:
                self.violated(f"retired too early: {intent.key}: {answer}")
            self._same_transfer(intent, answer.json.get("transferId"), answer)
        else:
            self.violated(f"undocumented answer to a payment: {answer}")
        return True

    def heard_delete(self, intent, answer):
        status = answer.json.get("status")
        if answer.status == 200 and status == "revoked":
            self._revoked(intent, answer)
        elif answer.status == 200 and status == "rejected":
            if intent.revoked or intent.outcome is not None and intent.outcome.status != 402:
                self.violated(f"rejected after all: {intent.key}: {answer}")
            self._same_transfer(intent, answer.json.get("transferId"), answer)
        elif answer.status == 403 and answer.code == "already_executed":
            if intent.revoked or intent.outcome is not None and intent.outcome.status != 201:
                self.violated(f"executed after all: {intent.key}: {answer}")
            self._same_transfer(intent, answer.json["transfer"]["transferId"], answer)
        else:
            self.violated(f"undocumented answer to a DELETE: {answer}")

    def heard_look_up(self, intent, was_decided, answer):
        """`was_decided`: whether the outcome was known when the question was sent."""
        if answer.status == 304:
            return
        if answer.status == 404 and answer.code == "key_unknown":
            if was_decided:
                self.violated(f"404 for a decided key {intent.key}: {answer}")
            return
        if answer.status != 200:
            return self.violated(f"undocumented answer to a look-up: {answer}")
        status = answer.json["status"]
        if status == "in_flight":
            if was_decided:
                self.violated(f"in flight although decided: {intent.key}: {answer}")
        elif status == "revoked":
            self._revoked(intent, answer)
        else:
            known = intent.outcome.status if intent.outcome else None
            if intent.revoked or known is not None and (known == 402) != (status == "rejected"):
                self.violated(f"another state than was told: {intent.key}: {answer}")
            self._same_transfer(intent, answer.json["transferId"], answer)

    def _revoked(self, intent, answer):
        if intent.outcome is not None:
            self.violated(f"revoked after all: {intent.key}: {answer}")
        intent.revoked = True

    def _same_transfer(self, intent, transfer, answer):
        if intent.outcome is not None and intent.outcome.transfer != transfer:
            self.violated(f"another transfer of {intent.key}: {answer}")

    def _outcome(self, intent, content, answer):
        if answer.status == 402 and answer.code not in REFUSALS:
            self.violated(f"undocumented refusal: {answer}")
        if intent.revoked:
            self.violated(f"executed after it was revoked: {intent.key}: {answer}")
        if not answer.is_replay:
            intent.firsts += 1
            if intent.firsts > 1:
                self.violated(f"two first answers: {intent.key}: {answer}")
        if content in intent.losers:
            self.violated(f"an outcome after 422: {intent.key}: {answer}")
        if intent.outcome is None:
            intent.outcome, intent.winner = Outcome(answer), content
        elif intent.winner != content:
            self.violated(f"two contents of {intent.key}: {answer}")
        elif (intent.outcome.status, intent.outcome.body) != (answer.status, answer.body):
            self.violated(f"other bytes for {intent.key}: {answer}")
