#!/usr/bin/env python3
"""Runs a server under mixed traffic and faults for SOAK_MINUTES (15), then proves what came of it.

    Tests/Soak/soak.py BINARY

BINARY is built with failpoints. For the first part the server is killed, drained and made to fail; then it runs without an
end for at least five minutes of the default fifteen, under milder faults, and its memory and descriptors are measured. At
the end every client's belief is held against the bank's answer by key, the money against the balances, and the rows
against themselves by `transferd verify`. SOAK_SEED repeats the clients' and the faults' choices, though not their timing.
Writes .build/soak/summary.json, and docs/soak.md if all is well and the run was as long as the default.
"""
import asyncio
import json
import os
import platform
import random
import shutil
import signal
import statistics
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True

from beliefs import Beliefs  # noqa: E402
from clients import Traffic  # noqa: E402
from faults import Faults  # noqa: E402
from truth import Truth  # noqa: E402
from world import World  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
MINUTES = float(os.environ.get("SOAK_MINUTES", "15"))
CLIENTS = int(os.environ.get("SOAK_CLIENTS", "300"))
# Errands a second of all clients together, as far as the machine goes.
RATE = float(os.environ.get("SOAK_RATE", "250"))
SEED = int(os.environ.get("SOAK_SEED", str(random.randrange(1 << 32))))
# The part at the end without kills, in seconds; and how much of it is not measured, because caches fill.
CALM = min(float(os.environ.get("SOAK_CALM_SECONDS", "480")), MINUTES * 60 / 2)
WARM = min(180.0, CALM / 3)
SAMPLE_SECONDS, PROGRESS_SECONDS = 5, 15
# What may not be exceeded in the measured part.
MEMORY_SLOPE_KB_PER_MINUTE = 1024
DESCRIPTOR_DRIFT = 1
# Lines of these levels that a soak may cause; any other warning or error is a fault.
EXPECTED = {
    "error commit.failed", "error read.failed", "warning settlement.failed", "warning checkpoint.failed",
    "warning http.drain.cut", "warning retention.failed", "warning revocations.unreadable", "warning wal.kept",
}


def slope(samples, value):
    """Least squares, per minute."""
    ages = [sample["age"] / 60 for sample in samples]
    values = [value(sample) for sample in samples]
    middle, mean = statistics.fmean(ages), statistics.fmean(values)
    spread = sum((age - middle) ** 2 for age in ages)
    return sum((age - middle) * (v - mean) for age, v in zip(ages, values)) / spread if spread else 0.0


def thirds(samples, value):
    part = max(1, len(samples) // 3)
    return statistics.median(map(value, samples[:part])), statistics.median(map(value, samples[-part:]))


async def observe(world, beliefs, traffic, faults, began):
    last, since = 0, 0.0
    while not traffic.ends:
        await asyncio.sleep(SAMPLE_SECONDS)
        sample = await asyncio.to_thread(world.sample)
        now = time.monotonic() - began
        if now - since < PROGRESS_SECONDS:
            continue
        answers = sum(traffic.counts.values())
        state = f"{sample['residentKB'] // 1024} MB, {sample['descriptors']} fds" if sample else "down"
        print(
            f"[{now:6.0f} s] generation {world.generation}: {answers:7d} answers ({(answers - last) / (now - since):4.0f}/s), "
            f"{len(beliefs.intents):6d} intents, {traffic.lost:5d} lost, {state}, {faults.now or 'quiet'}, "
            f"{len(beliefs.violations)} violations", flush=True)
        last, since = answers, now


def measured(world, beliefs):
    """Memory and descriptors of the last generation."""
    samples = [s for s in world.samples if s["generation"] == world.generation and s["age"] >= WARM]
    if len(samples) < 6:
        beliefs.violated(f"only {len(samples)} samples of the last generation")
        return {}
    def idle(sample):
        return sample["descriptors"] - sample["connections"]
    memory = slope(samples, lambda s: s["residentKB"])
    first, last = thirds(samples, lambda s: s["residentKB"])
    before, after = thirds(samples, idle)
    if memory > MEMORY_SLOPE_KB_PER_MINUTE:
        beliefs.violated(f"memory grows by {memory:.0f} KB a minute")
    if abs(after - before) > DESCRIPTOR_DRIFT:
        beliefs.violated(f"descriptors beside connections: {before}, then {after}")
    if len({sample["threads"] for sample in samples}) > 1:
        beliefs.violated("the number of threads changes")
    return {
        "seconds": round(samples[-1]["age"] - samples[0]["age"]), "samples": len(samples),
        "residentKB": {"firstThird": first, "lastThird": last, "slopePerMinute": round(memory, 1),
                       "bound": MEMORY_SLOPE_KB_PER_MINUTE},
        "descriptorsBesideConnections": {"firstThird": before, "lastThird": after, "bound": DESCRIPTOR_DRIFT},
        "threads": samples[-1]["threads"],
    }


async def soak(binary, folder):
    began = time.monotonic()
    beliefs = Beliefs()
    world = World(binary, folder, beliefs)
    world.make()
    await world.start()
    traffic = Traffic(world, beliefs, CLIENTS, RATE, SEED)
    faults = Faults(world, beliefs, SEED + 1)
    calm_from = began + MINUTES * 60 - CALM
    try:
        clients = traffic.run()
        others = [asyncio.create_task(faults.watch()), asyncio.create_task(observe(world, beliefs, traffic, faults, began))]
        others.append(asyncio.create_task(faults.run(calm_from)))

        async def run_until(end):
            # None of these ends before it is told to, but by an error.
            while time.monotonic() < end and not any(task.done() for task in others + clients):
                await asyncio.sleep(0.2)

        await run_until(calm_from)
        await faults.calm()
        print(f"[{time.monotonic() - began:6.0f} s] from here on generation {world.generation} lives to the end", flush=True)
        await run_until(began + MINUTES * 60)
        faults.ends = traffic.ends = True
        await asyncio.gather(*others, *clients)
        flat = measured(world, beliefs)
        metrics = world.metrics()
        for name in ("transferd_in_flight", "transferd_commit_queue_commands", "transferd_read_queue_queries"):
            if metrics[name] != 0:
                beliefs.violated(f"{name} is {metrics[name]} after the traffic")
        print(f"[{time.monotonic() - began:6.0f} s] asking about {len(beliefs.intents)} intents", flush=True)
        for customer in world.customers:
            customer.renew()
        # A token of the second in which its customer was revoked would be refused.
        await asyncio.sleep(1.1)
        for customer in world.customers:
            customer.renew()
        truth = Truth(world, beliefs)
        await truth.settle()
        known = [intent for intent in beliefs.intents if intent.winner is not None]
        await truth.replay(random.Random(SEED).sample(known, min(3000, len(known))))
        await truth.balances()
        await world.end(signal.SIGTERM)
        retired = truth.rows()
        proof = world.command("verify", "--database", str(world.database), "--structure", timeout=600)
    finally:
        if world.process is not None and world.process.poll() is None:
            world.process.kill()
            world.process.wait()
    for line, count in world.logged.items():
        if line.split()[0] in ("warning", "error") and line not in EXPECTED:
            beliefs.violated(f"{count} lines {line}")
    return {
        "seed": SEED, "minutes": round((time.monotonic() - began) / 60, 1), "clients": CLIENTS,
        "generations": world.generation, "answers": dict(sorted(traffic.counts.items())),
        "lostConnections": traffic.lost, "intents": len(beliefs.intents),
        "faults": dict(sorted(faults.done.items())), "truth": dict(sorted(truth.found.items())),
        "retired": retired, "lastGeneration": flat, "log": dict(sorted(world.logged.items())),
        "samples": [s for s in world.samples if s["generation"] == world.generation],
        "verify": proof.stdout.splitlines()[-1:], "violations": beliefs.violations,
    }


def page(summary):
    flat = summary["lastGeneration"]
    memory, descriptors = flat["residentKB"], flat["descriptorsBesideConnections"]
    def table(heads, rows):
        lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
        return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]) + "\n"
    answers = sum(summary["answers"].values())
    return f"""# Soak

`make soak` runs a server under mixed traffic and faults, and then proves what came of it. This page was written by it:
{summary['minutes']} minutes, {summary['clients']} clients, {answers:,} answers, {summary['lostConnections']:,} connections lost in the middle of
something, {summary['generations']} lives of the server, {summary['intents']:,} intents, **{len(summary['violations'])} violations**. Seed {summary['seed']};
{os.cpu_count()} cores, {platform.machine()}, shared with the load.

A violation is any of: an outcome that differs from one that was told before, two first answers for one key, an outcome after
a 422, money after a revocation, an undocumented status or code, a 404 for what was decided, an end with another exit code than
expected, a backup or a database that `transferd verify` faults, a balance that is not what the clients' transfers make it, a
warning or an error in the log that no fault explains.

## What went wrong on purpose

{table(["fault", "times"], summary["faults"].items())}
## What clients were told

{table(["answer", "times"], summary["answers"].items())}
## What was true at the end

Every intent was looked up by its key, and some were sent once more.

{table(["state", "intents"], summary["truth"].items())}
Of {summary['retired']:,} outcomes the bytes had been dropped by retention. `{(summary['verify'] or [''])[0].rpartition('/')[2]}`

## What did not grow

The last life of the server, without its first {WARM:.0f} seconds: {flat['seconds']} seconds, {flat['samples']} samples.

{table(["", "first third", "last third", "change", "bound"], [
    ["resident memory, KB (medians)", int(memory['firstThird']), int(memory['lastThird']),
     f"{memory['slopePerMinute']} KB a minute", f"{memory['bound']} KB a minute"],
    ["descriptors beside connections", int(descriptors['firstThird']), int(descriptors['lastThird']),
     int(descriptors['lastThird'] - descriptors['firstThird']), descriptors['bound']],
])}"""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = ROOT / ".build/soak/run"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"SOAK_SEED={SEED} SOAK_MINUTES={MINUTES:g} SOAK_CLIENTS={CLIENTS} SOAK_RATE={RATE:g}", flush=True)
    summary = asyncio.run(soak(str(Path(sys.argv[1]).resolve()), folder))
    (ROOT / ".build/soak/summary.json").write_text(json.dumps(summary, indent=2) + "\n")
    text = page(summary) if summary["lastGeneration"] else ""
    print(text)
    if summary["violations"]:
        sys.exit(f"FAILED: {len(summary['violations'])} violations; see {folder}")
    if MINUTES >= 15:
        (ROOT / "docs/soak.md").write_text(text)
    shutil.rmtree(folder)
    print("No violations.")


main()
