"""The server in generations, its configuration, its customers and their tokens."""
import asyncio
import base64
import collections
import hashlib
import hmac
import json
import os
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

SECRET = "soak-secret-soak-secret-soak-secret"
ISSUER, AUDIENCE = "https://issuer.example", "soak"
READY_SECONDS = 60

CONFIGURATION = """
{
    server: {
        port: 0, headMilliseconds: 3000, bodyMilliseconds: 3000, firstByteMilliseconds: 10000, idleMilliseconds: 20000,
        writeStallMilliseconds: 3000, responseMilliseconds: 10000,
    },
    operations: {port: 0},
    drain: {readinessDelayMilliseconds: 200, gracePeriodMilliseconds: 10000},
    database: {path: "%(database)s"},
    tokens: {issuer: "%(issuer)s", audience: "%(audience)s", algorithms: ["HS256"]},
    // Full within seconds, so that memory that grows afterwards grows for another reason.
    cache: {outcomeBytes: 1048576},
    limits: {writesPerSecond: 0, readsPerSecond: 0, lookUpsPerSecond: 0},
    retention: {days: 1},
}
"""


def german(number):
    account = f"37040044{number:010}"
    return f"DE{98 - int(account + '131400') % 97:02}{account}"


ELSEWHERE = "AT611904300234573201"


class Customer:
    def __init__(self, name, iban, cents):
        self.name, self.iban, self.opening = name, iban, cents
        self.token = None
        self.renew()

    def renew(self):
        """A token issued now. One of a revoked customer is good again in the next second."""
        now = int(time.time())
        claims = {
            "iss": ISSUER, "aud": AUDIENCE, "sub": self.name, "iat": now, "exp": now + 7200,
            "scope": "transfers:read transfers:write accounts:read",
        }
        self.token = mint(claims)


def mint(claims):
    def encode(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")
    text = encode(b'{"alg":"HS256","typ":"JWT"}') + b"." + encode(json.dumps(claims).encode())
    return (text + b"." + encode(hmac.new(SECRET.encode(), text, hashlib.sha256).digest())).decode()


class World:
    """Starts, kills and looks at the server. One generation lives at a time."""

    def __init__(self, binary, folder, beliefs):
        self.binary, self.folder, self.beliefs = binary, Path(folder), beliefs
        self.database = self.folder / "bank.db"
        self.process = None
        self.port = self.operations = None
        self.up = asyncio.Event()
        self.generation = 0
        self.began = 0.0
        # Exit codes that a generation may end with by itself: -9 where a failpoint kills it.
        self.may_end = set()
        self.logged = collections.Counter()
        self.samples = []
        self.environment = {
            "PATH": os.environ["PATH"], "TRANSFERD_TOKENS_HS256_SECRET": SECRET, "SWIFT_BACKTRACE": "enable=no",
        }
        (self.folder / "soak.json5").write_text(
            CONFIGURATION % {"database": self.database, "issuer": ISSUER, "audience": AUDIENCE})
        # The first ones pay and are paid; the last is poor, the one before is frozen now and then.
        self.customers = [Customer(f"customer-{n}", german(n), 10_000_000_00) for n in range(12)]
        self.customers += [Customer("frozen", german(90), 10_000_000_00), Customer("poor", german(91), 5_00)]

    def command(self, *words, check=True, timeout=120):
        done = subprocess.run(
            [self.binary, *words], env=self.environment, capture_output=True, text=True, timeout=timeout)
        if check and done.returncode != 0:
            self.beliefs.violated(f"transferd {' '.join(words)} ended with {done.returncode}: {done.stderr[-300:]}")
        return done

    async def run(self, *words, check=True, timeout=120):
        """The same, while clients go on."""
        return await asyncio.to_thread(self.command, *words, check=check, timeout=timeout)

    def make(self):
        self.command("migrate", "--database", str(self.database))
        for customer in self.customers:
            self.command(
                "account", "open", "--database", str(self.database), "--customer", customer.name, "--iban",
                customer.iban, "--currency", "EUR", "--opening", f"{customer.opening // 100}.00")

    @property
    def log(self):
        return self.folder / f"log-{self.generation}"

    async def start(self, failpoints=""):
        self.generation += 1
        self.began = time.monotonic()
        self.may_end = {-signal.SIGKILL} if "kill" in failpoints else set()
        environment = dict(self.environment)
        if failpoints:
            environment["TRANSFERD_FAILPOINTS"] = failpoints
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--config", str(self.folder / "soak.json5")], env=environment,
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        end = time.monotonic() + READY_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            for line in self.log.read_text().splitlines():
                if '"server.ready"' in line:
                    ready = json.loads(line)
                    self.port, self.operations = ready["port"], ready["operationsPort"]
                    self.up.set()
                    return
            await asyncio.sleep(0.02)
        # A failpoint may have killed it this early; the watch starts the next one.
        if self.process.poll() not in self.may_end:
            raise RuntimeError(f"the server did not start: {self.log.read_text()[-2000:]}")

    async def end(self, number):
        """Ends this generation by a signal and waits for it."""
        self.up.clear()
        self.may_end = {-signal.SIGKILL} if number == signal.SIGKILL else {0} | self.may_end
        self.process.send_signal(number)
        code = await asyncio.to_thread(self.process.wait, 60)
        if code not in self.may_end:
            self.beliefs.violated(f"generation {self.generation} ended with {code}")
        self.read_log()

    def read_log(self):
        for line in self.log.read_text().splitlines():
            try:
                entry = json.loads(line)
            except ValueError:
                # Only the last line of one that was killed.
                continue
            self.logged[f"{entry['level']} {entry['event']}"] += 1

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.operations}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if not line.startswith("#")}

    def sample(self):
        """Memory and descriptors of this generation, beside its age in seconds."""
        if not self.up.is_set():
            return None
        try:
            process = Path(f"/proc/{self.process.pid}")
            resident = next(line for line in (process / "status").read_text().splitlines() if line.startswith("VmRSS"))
            descriptors = len(list((process / "fd").iterdir()))
            metrics = self.metrics()
        except (OSError, StopIteration, ValueError):
            return None
        connections = sum(value for name, value in metrics.items() if name.startswith("http_connections_open"))
        found = {
            "generation": self.generation, "age": time.monotonic() - self.began,
            "residentKB": int(resident.split()[1]), "descriptors": descriptors, "connections": int(connections),
            "threads": len(list((process / "task").iterdir())), "inFlight": metrics["transferd_in_flight"],
            "queue": metrics["transferd_commit_queue_commands"], "walFrames": metrics["transferd_wal_frames"],
        }
        self.samples.append(found)
        return found
