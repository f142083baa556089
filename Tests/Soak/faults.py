"""What goes wrong while clients pay."""
import asyncio
import collections
import os
import random
import resource
import signal
import sqlite3
import time
from pathlib import Path

# Those that end a generation, and those that a server must live through.
HARD = ["kill", "terminate", "hang_up"]
SOFT = [
    "lock_briefly", "lock_for_long", "no_room", "backup", "verify", "freeze", "restrict", "revoke", "revoke_token", "age",
    "stop_and_go",
]
FAILPOINTS = [
    "", "", "before-commit=delay:15", "before-begin=delay:10", "after-plan=fail:{n}", "before-begin=fail:{n}",
    "before-commit=fail:{n}", "after-commit=fail:{n}", "before-answer=fail:{n}", "before-answer=delay:1",
    "before-commit=kill:{n}", "after-commit=kill:{n}", "after-plan=kill:{n}", "before-answer=kill:{n}",
    "after-claim=kill:{n}", "after-parse=kill:{n}", "after-credit=kill:{n}",
]


class Faults:
    def __init__(self, world, beliefs, seed):
        self.world, self.beliefs = world, beliefs
        self.random = random.Random(seed)
        self.done = collections.Counter()
        self.now = ""
        self.ends = False
        self.copies = 0
        self.points = True
        # Held by whatever ends or starts a generation.
        self.changing = asyncio.Lock()

    async def run(self, hard_until):
        """One fault after another; from `hard_until` on only those that the server lives through."""
        while not self.ends:
            await asyncio.sleep(self.random.uniform(1, 5))
            hard = time.monotonic() < hard_until
            name = self.random.choice(HARD if hard and self.random.random() < 0.4 else SOFT)
            self.now = name
            await getattr(self, name)()
            self.done[name] += 1
            self.now = ""

    async def watch(self):
        """Starts the next generation where a failpoint has killed one."""
        while not self.ends:
            await asyncio.sleep(0.05)
            async with self.changing:
                code = self.world.process.poll()
                if code is None:
                    continue
                self.world.up.clear()
                self.world.read_log()
                if code not in self.world.may_end:
                    self.beliefs.violated(f"generation {self.world.generation} ended with {code}")
                self.done["killed by a failpoint"] += 1
                await self.start()

    async def start(self):
        point = self.random.choice(FAILPOINTS).format(n=self.random.randint(5, 400)) if self.points else ""
        if point:
            self.done[f"failpoint {point.split(':')[0]}"] += 1
        await self.world.start(point)

    async def again(self, number):
        async with self.changing:
            if self.world.process.poll() is None:
                await self.world.end(number)
                await self.start()

    async def calm(self):
        """From now on one generation, without failpoints."""
        async with self.changing:
            self.points = False
            if self.world.process.poll() is None:
                await self.world.end(signal.SIGTERM)
            else:
                self.world.up.clear()
                self.world.read_log()
            await self.start()

    # Hard

    async def kill(self):
        await self.again(signal.SIGKILL)

    async def terminate(self):
        await self.again(signal.SIGTERM)

    async def hang_up(self):
        await self.again(signal.SIGHUP)

    # Soft

    async def hold_lock(self, seconds):
        def hold():
            connection = sqlite3.connect(self.world.database, timeout=20, isolation_level=None)
            connection.execute("BEGIN IMMEDIATE")
            time.sleep(seconds)
            connection.execute("ROLLBACK")
            connection.close()
        await asyncio.to_thread(hold)

    async def lock_briefly(self):
        await self.hold_lock(self.random.uniform(0.05, 2))

    async def lock_for_long(self):
        """Longer than a commit waits: 503, and on again."""
        await self.hold_lock(6)

    async def no_room(self):
        """No file may grow, as on a full disk."""
        async with self.changing:
            try:
                self.limit(65536)
                await asyncio.sleep(self.random.uniform(0.2, 2))
                self.limit(resource.RLIM_INFINITY)
            except ProcessLookupError:
                # A failpoint was quicker.
                pass

    def limit(self, size):
        resource.prlimit(self.world.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    async def stop_and_go(self):
        """The whole process stands still for a moment."""
        async with self.changing:
            self.world.process.send_signal(signal.SIGSTOP)
            await asyncio.sleep(self.random.uniform(0.1, 1))
            self.world.process.send_signal(signal.SIGCONT)

    async def backup(self):
        self.copies += 1
        copy = self.world.folder / f"copy-{self.copies}.db"
        made = await self.world.run(
            "backup", "--database", str(self.world.database), "--to", str(copy), check=False)
        # A server that is being killed or has no room may take its file away from a copy; never silently.
        if made.returncode == 0:
            await self.world.run("verify", "--database", str(copy))
        elif made.returncode not in (69, 74) or copy.exists():
            self.beliefs.violated(f"backup ended with {made.returncode}: {made.stderr[-300:]}")
        for path in Path(self.world.folder).glob(f"copy-{self.copies}.db*"):
            os.unlink(path)

    async def verify(self):
        await self.world.run("verify", "--database", str(self.world.database))

    async def freeze(self):
        frozen = next(customer for customer in self.world.customers if customer.name == "frozen")
        where = ["--database", str(self.world.database), "--iban", frozen.iban]
        await self.administer("account", "freeze", *where)
        await asyncio.sleep(self.random.uniform(0.5, 3))
        await self.administer("account", "unfreeze", *where)

    async def restrict(self):
        """Nothing new, while replays go on; every refusal is of nobody else."""
        customer = self.world.customers[0]
        where = ["--database", str(self.world.database), "--customer", customer.name]
        await self.administer("customer", "restrict", *where)
        await asyncio.sleep(self.random.uniform(0.5, 2))
        await self.administer("customer", "release", *where)

    async def revoke(self):
        """Ends all tokens of a customer, who logs in again."""
        customer = self.random.choice(self.world.customers[1:5])
        self.beliefs.revocations.add(customer.name)
        await self.administer(
            "customer", "revoke", "--database", str(self.world.database), "--customer", customer.name)

    async def revoke_token(self):
        """Of a token that nobody has; the list grows and is read."""
        where = ["--database", str(self.world.database), "--token", f"token-{self.random.randint(1, 50)}"]
        await self.administer("revocation", "add", *where)

    async def age(self):
        """Makes the older half of the past two days older, so that retention drops its bytes."""
        def age():
            connection = sqlite3.connect(self.world.database, timeout=20, isolation_level=None)
            young = int((time.time() - 86400) * 1e6)
            half = (connection.execute("SELECT max(outcome_id) FROM outcomes").fetchone()[0] or 0) // 2
            first = connection.execute(
                "SELECT min(outcome_id) FROM outcomes WHERE committed_at > ?", (young,)).fetchone()[0] or 0
            # In pieces, so that payments come in between.
            for low in range(first, half, 2000):
                connection.execute(
                    "UPDATE outcomes SET committed_at = committed_at - 172800000000,"
                    " received_at = received_at - 172800000000 WHERE outcome_id BETWEEN ? AND ?",
                    (low, min(low + 1999, half)))
            connection.close()
        self.beliefs.aged = len(self.beliefs.intents)
        await asyncio.to_thread(age)

    async def administer(self, *words):
        """Again while the server, or another fault, holds the lock."""
        for _ in range(10):
            done = await self.world.run(*words, check=False)
            if done.returncode == 0:
                return
            if done.returncode != 69:
                break
        self.beliefs.violated(f"transferd {' '.join(words)} ended with {done.returncode}: {done.stderr[-300:]}")
