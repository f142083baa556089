"""Clients with bad connections: each does one errand after another, and retries until it knows."""
import asyncio
import collections
import random
import time

from beliefs import Payment
from wire import Closed, Wire, request
from world import ELSEWHERE

# A client that knows nothing after so long has found a fault.
OUTCOME_SECONDS = 90
# How often each errand is chosen.
ERRANDS = {
    "fresh": 30, "again": 18, "reuse": 8, "look_up": 16, "watch": 3, "lists": 8, "accounts": 5, "give_up": 6,
    "wait": 6, "partial": 2, "pipelined": 2,
}


class Traffic:
    def __init__(self, world, beliefs, clients, rate, seed):
        self.world, self.beliefs = world, beliefs
        self.random = random.Random(seed)
        self.pause = clients / rate
        self.clients = clients
        self.ends = False
        # Attempts that one client asks another to make: somebody else's retry, at about the same time.
        self.errands = collections.deque(maxlen=2000)
        self.counts = collections.Counter()
        self.lost = 0

    def run(self):
        tasks = [asyncio.create_task(self.client(n)) for n in range(self.clients)]
        tasks += [asyncio.create_task(self.slow(n)) for n in range(8)]
        return tasks

    async def client(self, number):
        wire = None
        names, weights = list(ERRANDS), list(ERRANDS.values())
        await asyncio.sleep(self.random.random() * self.pause)
        while not self.ends:
            name = self.random.choices(names, weights)[0]
            try:
                wire = await getattr(self, name)(wire)
            except Closed:
                wire = None
            except asyncio.TimeoutError:
                self.beliefs.violated(f"no answer in time to {name}")
                wire = None
            if wire is not None and self.random.random() < 0.02:
                wire.close()
            await asyncio.sleep(self.random.expovariate(1 / self.pause))
        if wire is not None:
            wire.close()

    # One exchange

    async def connected(self, wire):
        """A wire to the generation that lives now or next."""
        while wire is None or not wire.is_open or wire.port != self.world.port or not self.world.up.is_set():
            if wire is not None:
                wire.close()
                wire = None
            await self.world.up.wait()
            try:
                wire = await Wire.connect(self.world.port)
            except Closed:
                self.lost += 1
                await asyncio.sleep(0.05)
        return wire

    async def exchange(self, wire, data, kind):
        """A wire and an answer; the answer is None where the connection broke."""
        wire = await self.connected(wire)
        try:
            answer = await wire.exchange(data)
        except Closed:
            self.lost += 1
            wire.close()
            return None, None
        self.counts[f"{kind} {answer.status}" + (f" {answer.code}" if answer.code else "")] += 1
        if answer.status >= 500 and answer.status != 503:
            self.beliefs.violated(f"{kind}: {answer}")
        return wire, answer

    async def until_known(self, wire, customer, kind, make):
        """Sends `make()` again until it is answered by more than "later". None for a lost cause."""
        end = time.monotonic() + OUTCOME_SECONDS
        pause = 0.02
        while time.monotonic() < end:
            wire, answer = await self.exchange(wire, make(), kind)
            if answer is not None:
                if self.beliefs.is_revoked(answer, customer.name):
                    customer.renew()
                    pause = 0.3
                elif not self.beliefs.is_busy(answer):
                    return wire, answer
            await asyncio.sleep(pause * (0.5 + self.random.random()))
            pause = min(pause * 2, 1)
        self.beliefs.violated(f"nothing but \"later\" for {OUTCOME_SECONDS} s: {kind}")
        return wire, None

    # Payments

    def customer(self):
        return self.random.choice(self.world.customers)

    def payment(self, customer):
        others = [other.iban for other in self.world.customers if other is not customer]
        creditor = ELSEWHERE if self.random.random() < 0.5 else self.random.choice(others)
        cents = self.random.randint(1, 500)
        dice = self.random.random()
        if dice < 0.02:
            cents = 90_000_000_00
        elif dice < 0.04:
            creditor = customer.iban
        return Payment(customer.iban, creditor, cents, f"Payee {self.random.randint(1, 999)}")

    def attempt(self, intent, content, wait=None):
        key = intent.key
        spelling = self.random.random()
        if spelling < 0.1:
            key = f'"{key.upper()}"'
        fields = [("Idempotency-Key", key)]
        if wait is not None:
            fields.append(("Prefer", f"wait={wait}"))
        intent.complete = True
        return request(
            "POST", "/api/transfers", intent.customer.token, fields, intent.payments[content].body,
            chunk=40 if self.random.random() < 0.1 else None)

    async def pay(self, wire, intent, content, wait=None):
        wire, answer = await self.until_known(
            wire, intent.customer, "pay", lambda: self.attempt(intent, content, wait))
        if answer is not None:
            self.beliefs.heard(intent, content, answer)
        return wire

    async def fresh(self, wire):
        customer = self.customer()
        payments = [self.payment(customer)]
        if self.random.random() < 0.1:
            other = self.payment(customer)
            payments.append(other)
        intent = self.beliefs.add(customer, payments)
        for content in range(len(payments)):
            if content > 0 or self.random.random() < 0.3:
                self.errands.append((intent, content))
        dice = self.random.random()
        if dice < 0.12:
            # The phone loses its network at some moment after it has sent everything.
            wire = await self.connected(wire)
            await wire.send(self.attempt(intent, 0))
            if dice < 0.06:
                await asyncio.sleep(self.random.random() * 0.02)
            wire.abort()
            if dice > 0.1:
                # And its owner never asks again.
                return None
            wire = None
        return await self.pay(wire, intent, 0)

    async def again(self, wire):
        if self.errands and self.random.random() < 0.6:
            intent, content = self.errands.popleft()
            return await self.pay(wire, intent, content)
        intent = self.known()
        if intent is None or intent.winner is None:
            return wire
        return await self.pay(wire, intent, intent.winner)

    async def wait(self, wire):
        """Two at once, of which one waits for the other."""
        customer = self.customer()
        intent = self.beliefs.add(customer, [self.payment(customer)])
        other = asyncio.create_task(self.pay(None, intent, 0, wait=self.random.randint(0, 5)))
        wire = await self.pay(wire, intent, 0, wait=2)
        second = await other
        if second is not None:
            second.close()
        return wire

    async def reuse(self, wire):
        intent = self.known()
        if intent is None or intent.winner is None or len(intent.payments) > 3:
            return wire
        intent.payments.append(self.payment(intent.customer))
        return await self.pay(wire, intent, len(intent.payments) - 1)

    async def partial(self, wire):
        """A request that never becomes whole has no effect."""
        customer = self.customer()
        intent = self.beliefs.add(customer, [self.payment(customer)])
        data = self.attempt(intent, 0)
        intent.complete = False
        wire = await self.connected(wire)
        await wire.send(data[:self.random.randint(1, len(data) - 1)])
        await asyncio.sleep(self.random.random() * 0.05)
        wire.abort()
        return None

    async def pipelined(self, wire):
        """A payment and its look-up in one packet: after a 201 a look-up never says 404."""
        customer = self.customer()
        intent = self.beliefs.add(customer, [self.payment(customer)])
        look = request("GET", f"/api/transfers/by-key/{intent.key}", customer.token)
        wire = await self.connected(wire)
        await wire.send(self.attempt(intent, 0) + look)
        paid = await wire.receive()
        if self.beliefs.is_busy(paid) or self.beliefs.is_revoked(paid, customer.name):
            wire.close()
            return await self.pay(None, intent, 0)
        self.counts[f"pay {paid.status}" + (f" {paid.code}" if paid.code else "")] += 1
        self.beliefs.heard(intent, 0, paid)
        if not wire.is_open:
            return None
        found = await wire.receive()
        if not self.beliefs.is_busy(found) and not self.beliefs.is_revoked(found, customer.name):
            self.beliefs.heard_look_up(intent, True, found)
        return wire

    def known(self):
        """An intent of the past, mostly of the near past."""
        intents = self.beliefs.intents
        if not intents:
            return None
        far = self.random.random() < 0.3
        low = 0 if far else max(0, len(intents) - 3000)
        intent = intents[self.random.randrange(low, len(intents))]
        return intent if intent.is_decided else None

    # Giving up, looking up

    async def give_up(self, wire):
        """DELETE and POST of one key in any order, sometimes at once."""
        customer = self.customer()
        known = self.known() if self.random.random() < 0.3 else None
        intent = known or self.beliefs.add(customer, [self.payment(customer)])
        intent.deletes = True
        late = None
        if known is None and self.random.random() < 0.7:
            late = asyncio.create_task(self.pay(None, intent, 0))
        wire, answer = await self.until_known(
            wire, intent.customer, "delete",
            lambda: request("DELETE", f"/api/transfers/by-key/{intent.key}", intent.customer.token))
        if answer is not None:
            self.beliefs.heard_delete(intent, answer)
        if late is not None:
            other = await late
            if other is not None:
                other.close()
        if intent.revoked and intent.winner is None:
            wire = await self.pay(wire, intent, 0)
        return wire

    async def look_up(self, wire, fields=(), intent=None):
        intent = intent or self.known() or (self.beliefs.intents[-1] if self.beliefs.intents else None)
        if intent is None:
            return wire
        decided = intent.is_decided
        wire, answer = await self.until_known(
            wire, intent.customer, "look up",
            lambda: request("GET", f"/api/transfers/by-key/{intent.key}", intent.customer.token, fields))
        if answer is not None:
            self.beliefs.heard_look_up(intent, decided, answer)
        return wire

    async def watch(self, wire):
        """Looks up and waits a little for news."""
        intent = self.known()
        if intent is None:
            return wire
        tag = '"revoked"' if intent.revoked else f'"{self.random.randint(1, 50)}"'
        return await self.look_up(wire, [("If-None-Match", tag), ("Prefer", "wait=2")], intent)

    async def lists(self, wire):
        customer = self.customer()
        cursor, seen = "", set()
        for _ in range(self.random.randint(1, 3)):
            wire, answer = await self.until_known(
                wire, customer, "list",
                lambda: request("GET", f"/api/transfers?limit=40{cursor}", customer.token))
            if answer is None:
                return wire
            if answer.status != 200:
                self.beliefs.violated(f"undocumented answer to a list: {answer}")
                return wire
            ids = [transfer["transferId"] for transfer in answer.json["transfers"]]
            if len(set(ids) | seen) != len(ids) + len(seen):
                self.beliefs.violated("a transfer is listed twice")
            seen |= set(ids)
            if not answer.json["hasMore"]:
                break
            cursor = f"&cursor={answer.json['cursor']}"
        return wire

    async def accounts(self, wire):
        customer = self.customer()
        wire, answer = await self.until_known(
            wire, customer, "accounts", lambda: request("GET", "/api/accounts", customer.token))
        if answer is not None and (answer.status != 200 or len(answer.json["accounts"]) != 1):
            self.beliefs.violated(f"undocumented answer about accounts: {answer}")
        return wire

    async def slow(self, number):
        """Sends or reads too slowly, for ever; the server has to be rid of it by its own deadlines."""
        while not self.ends:
            wire = await self.connected(None)
            try:
                if number % 2 == 0:
                    for byte in b"GET /api/accounts HTTP/1.1\r\nX-Slow: " + b"x" * 60:
                        await wire.send(bytes([byte]))
                        await asyncio.sleep(0.2)
                    answer = await wire.receive()
                    if answer.status != 408:
                        self.beliefs.violated(f"a slow head was served: {answer}")
                else:
                    await wire.send(b"GET /openapi.json HTTP/1.1\r\nHost: soak\r\n\r\n" * 200)
                    await asyncio.sleep(15)
            except (Closed, asyncio.TimeoutError):
                pass
            self.counts["slow clients"] += 1
            wire.abort()
            await asyncio.sleep(1)
