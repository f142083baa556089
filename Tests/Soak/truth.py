"""The end: what every client believes is held against what the bank says, and that against the money."""
import asyncio
import collections
import sqlite3

from wire import Closed, Wire, request
from world import ELSEWHERE

WIRES = 48
EXECUTED = {"accepted", "submitted", "settled", "returned"}


class Truth:
    def __init__(self, world, beliefs):
        self.world, self.beliefs = world, beliefs
        # By intent: status, and which of its contents it is.
        self.found = collections.Counter()
        self.moved = collections.Counter()
        self.pending = []

    async def settle(self):
        """Asks about every intent, the money of bookings inside the bank included."""
        await self._each(self.beliefs.intents, self._look_up)
        for _ in range(60):
            if not self.pending:
                return
            waiting, self.pending = self.pending, []
            await asyncio.sleep(1)
            await self._each(waiting, self._look_up)
        self.beliefs.violated(f"{len(self.pending)} bookings did not end")

    async def replay(self, intents):
        """Sends these once more: the same bytes, or told that they are no longer kept."""
        await self._each(intents, self._replay)

    async def _each(self, intents, act):
        queue = collections.deque(intents)

        async def work():
            wire = await Wire.connect(self.world.port)
            while queue:
                intent = queue.popleft()
                try:
                    if not wire.is_open:
                        wire = await Wire.connect(self.world.port)
                    if not await act(wire, intent):
                        queue.append(intent)
                        await asyncio.sleep(0.2)
                except (Closed, asyncio.TimeoutError) as error:
                    self.beliefs.violated(f"no answer about {intent.key}: {error!r}")
            wire.close()

        await asyncio.gather(*[work() for _ in range(WIRES)])

    async def _look_up(self, wire, intent):
        answer = await wire.exchange(
            request("GET", f"/api/transfers/by-key/{intent.key}", intent.customer.token))
        if self.beliefs.is_busy(answer):
            return False
        self.beliefs.heard_look_up(intent, intent.is_decided, answer)
        if answer.status != 200:
            self.found["never committed"] += 1
            return True
        status = answer.json["status"]
        if not intent.complete:
            self.beliefs.violated(f"a request that was never whole took effect: {intent.key}: {answer}")
        if status in EXECUTED:
            self._move(intent, answer.json)
        elif status not in ("rejected", "revoked"):
            self.beliefs.violated(f"{status} at the end: {intent.key}")
        if status == "accepted" and answer.json["creditorAccount"]["iban"] != ELSEWHERE:
            self.pending.append(intent)
        else:
            self.found[status] += 1
        return True

    def _move(self, intent, transfer):
        """Counts the money of a transfer once it is where it stays."""
        debtor, creditor = transfer["debtorAccount"]["iban"], transfer["creditorAccount"]["iban"]
        whole, _, cents = transfer["instructedAmount"]["amount"].partition(".")
        amount = int(whole) * 100 + int(cents)
        sent = [(payment.debtor, payment.creditor, payment.cents, payment.name) for payment in intent.payments]
        content = (debtor, creditor, amount, transfer["creditorName"])
        if content not in sent or intent.winner is not None and sent[intent.winner] != content:
            self.beliefs.violated(f"executed with another content: {intent.key}: {transfer}")
        status = transfer["status"]
        if status == "accepted" and creditor == ELSEWHERE or status == "settled":
            self.moved[debtor] -= amount
            if status == "settled":
                self.moved[creditor] += amount

    async def _replay(self, wire, intent):
        content = intent.payments[intent.winner]
        answer = await wire.exchange(
            request("POST", "/api/transfers", intent.customer.token, [("Idempotency-Key", intent.key)], content.body))
        if self.beliefs.is_busy(answer):
            return False
        self.beliefs.heard(intent, intent.winner, answer)
        self.found[f"replayed {answer.status}"] += 1
        return True

    async def balances(self):
        wire = await Wire.connect(self.world.port)
        for customer in self.world.customers:
            answer = await wire.exchange(request("GET", "/api/accounts", customer.token))
            text = answer.json["accounts"][0]["balance"]["amount"]
            expected = customer.opening + self.moved[customer.iban]
            if text != f"{expected // 100}.{expected % 100:02}":
                self.beliefs.violated(f"{customer.name} has {text}, not {expected} cents")
        wire.close()

    def rows(self):
        """The same once more from the rows, when nobody has the database open."""
        connection = sqlite3.connect(f"file:{self.world.database}?mode=ro", uri=True)
        transfers = dict(connection.execute("SELECT state IN (7, 8), count(*) FROM transfers GROUP BY 1"))
        revoked = connection.execute("SELECT count(*) FROM outcomes WHERE kind = 4").fetchone()[0]
        retired = connection.execute("SELECT count(*) FROM outcomes WHERE body IS NULL").fetchone()[0]
        connection.close()
        executed = sum(self.found[status] for status in EXECUTED)
        told = (executed, self.found["rejected"], self.found["revoked"])
        stored = (transfers.get(0, 0), transfers.get(1, 0), revoked)
        if told != stored:
            self.beliefs.violated(f"told of {told} executed, rejected and revoked, stored are {stored}")
        return retired
