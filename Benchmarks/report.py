#!/usr/bin/env python3
"""report.py: renders RESULTS.md, throughput.svg, latency.svg and an excerpt in README.md from results.jsonl, which
`run --write` wrote."""
import json
from html import escape
from math import log10
from pathlib import Path

HERE = Path(__file__).resolve().parent
INK, FAINT = "#24292f", "#d0d7de"
COLOURS = {"p50": "#0969da", "p99": "#bf8700", "p99.9": "#cf222e", "transferd": "#0969da", "nginx": "#8c959f"}

NAMES = {"fresh": "new transfers", "hot": "new transfers, one account", "replay": "replays", "get": "look-ups by key",
         "fixed": "404 of an unknown path", "conflict": "conflict", "reuse": "reuse", "refusal": "refusal",
         "mixed": "mixed day", "storm": "reconnect storm"}


def name(r):
    if r["server"] == "nginx":
        return "nginx, as for " + NAMES[r["like"]]
    return NAMES[r["mode"]]


class Picture:
    """An SVG of lines, bars and words."""

    def __init__(self, width, height):
        self.items = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                      f'viewBox="0 0 {width} {height}" font-family="system-ui, sans-serif" font-size="12">',
                      f'<rect width="{width}" height="{height}" fill="white"/>']

    def line(self, points, colour, width=1.0):
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.items.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>')

    def dot(self, x, y, colour):
        self.items.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')

    def bar(self, x, y, width, height, colour):
        self.items.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" fill="{colour}"/>')

    def text(self, x, y, words, anchor="start", colour=INK, weight="normal"):
        self.items.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" '
                          f'font-weight="{weight}">{escape(words)}</text>')

    def write(self, file):
        (HERE / file).write_text("\n".join(self.items + ["</svg>"]) + "\n")


def draw_throughput(sides):
    """A bar each of requests a second and of the server's CPU time a request."""
    rows = [(connections, r) for connections, results in sides.items() for r in results]
    picture = Picture(960, 50 + 22 * len(rows) + 26 * len(sides))
    panels = ((330, "requests a second", lambda r: r["per_second"], "{:,.0f}"),
              (650, "server CPU, µs a request", lambda r: r["server_cpu_us"], "{:.1f}"))
    room = 240
    for x, title, _, _ in panels:
        picture.text(x, 24, title, weight="bold")
    y, last = 34, None
    for connections, r in rows:
        if connections != last:
            y += 26
            picture.text(12, y - 4, f"{connections} connections", weight="bold")
            last = connections
        picture.text(320, y + 13, name(r), "end")
        for x, _, value, form in panels:
            most = max(value(other) for _, other in rows)
            length = value(r) / most * room
            picture.bar(x, y + 2, length, 15, COLOURS[r["server"]])
            picture.text(x + length + 5, y + 14, form.format(value(r)))
        y += 22
    picture.write("throughput.svg")


def draw_latency(series):
    """Latency, on a logarithmic axis, against what was offered."""
    width, height, left, top = 400, 300, 60, 50
    picture = Picture(960, 410)
    most = max(r["p999_ms"] for results in series.values() for r in results)
    least = min(r["p50_ms"] for results in series.values() for r in results)
    low, high = 10 ** int(log10(least) - (log10(least) < 0)), most * 1.1
    for index, (mode, results) in enumerate(series.items()):
        x0 = left + index * (width + 70)
        widest = max(r["rate"] for r in results) * 1.05

        def at(rate, milliseconds):
            share = (log10(milliseconds) - log10(low)) / (log10(high) - log10(low))
            return x0 + rate / widest * width, top + height * (1 - share)

        picture.text(x0, 24, f"{NAMES[mode]}: latency from when a request was due", weight="bold")
        step = low
        while step <= high:
            y = at(0, step)[1]
            picture.line([(x0, y), (x0 + width, y)], FAINT)
            picture.text(x0 - 6, y + 4, f"{step:g} ms", "end")
            step *= 10
        for r in results:
            x = at(r["rate"], low)[0]
            picture.line([(x, top + height), (x, top + height + 4)], INK)
        for rate in (results[0], results[len(results) // 2], results[-1]):
            picture.text(at(rate["rate"], low)[0], top + height + 18, f"{rate['rate']:,}", "middle")
        picture.text(x0 + width / 2, top + height + 38, "offered, requests a second", "middle")
        closed = at(results[-2]["rate"], low)[0]
        picture.line([(closed, top), (closed, top + height)], FAINT, 2)
        picture.text(closed - 5, top + 16, "closed loop's most", "end", "#57606a")
        for label, key in (("p99.9", "p999_ms"), ("p99", "p99_ms"), ("p50", "p50_ms")):
            points = [at(r["rate"], r[key]) for r in results]
            picture.line(points, COLOURS[label], 2)
            for x, y in points:
                picture.dot(x, y, COLOURS[label])
    for index, label in enumerate(("p50", "p99", "p99.9")):
        picture.line([(left + 110 * index, 402), (left + 24 + 110 * index, 402)], COLOURS[label], 3)
        picture.text(left + 30 + 110 * index, 406, label)
    picture.write("latency.svg")


def table(columns, rows):
    """`columns`: heading to a function of the row."""
    lines = ["| " + " | ".join(columns) + " |", "|" + " --- |" * len(columns)]
    return "\n".join(lines + ["| " + " | ".join(str(cell(row)) for cell in columns.values()) + " |" for row in rows])


COMMON = {"requests/s": lambda r: f"{r['per_second']:,.0f}", "p50 ms": lambda r: f"{r['p50_ms']:.2f}",
          "p99 ms": lambda r: f"{r['p99_ms']:.2f}", "p99.9 ms": lambda r: f"{r['p999_ms']:.2f}",
          "server CPU µs/request": lambda r: f"{r['server_cpu_us']:.1f}"}
ENDS = {"server cores": lambda r: r["server_cores"], "load cores": lambda r: r["load_cores"],
        "other cores": lambda r: r["other_cores"]}
MEMORY = {"memory MB": lambda r: r["memory_mb"]}


def ratios(sides):
    """Of requests a second, and of CPU time a request."""
    rows = []
    for connections, results in sides.items():
        def of(mode, like=None):
            return next(r for r in results if r["mode"] == mode and r.get("like") == like)

        for first, second, words in (
                (of("replay"), of("fixed"), "replay / 404 of an unknown path"),
                (of("replay"), of("fixed", "replay"), "replay / nginx"),
                (of("get"), of("fixed", "get"), "look-up / nginx")):
            rows.append((connections, words, f"{first['per_second'] / second['per_second']:.2f}",
                         f"{first['server_cpu_us'] / second['server_cpu_us']:.2f}"))
    return table({"connections": lambda r: r[0], "of": lambda r: r[1], "requests/s": lambda r: r[2],
                  "server CPU": lambda r: r[3]}, rows)


def statuses(r):
    total = sum(r["status"].values())
    return ", ".join(f"{count / total:.0%} {status}" for status, count in r["status"].items())


def write_excerpt(header, rows, warning):
    file, begin, end = HERE.parent / "README.md", "<!-- figures -->\n", "<!-- end of figures -->"
    before, rest = file.read_text().split(begin)
    about = (f"{header['date']}, {header['cores']} cores ({header['machine']}, virtual), {rows[0]['connections']} connections "
             f"with one request each at a time:{warning}")
    excerpt = table({"mode": name} | COMMON | MEMORY, rows)
    file.write_text(f"{before}{begin}{about}\n\n{excerpt}\n{end}{rest.split(end)[1]}")


def main():
    header, *lines = [json.loads(line) for line in (HERE / "results.jsonl").read_text().splitlines()]
    results = [r for r in lines if "mode" in r]
    ends = [r for r in lines if "outcomes" in r]
    sides = {}
    for r in results:
        if r["part"].startswith("side"):
            sides.setdefault(r["connections"], []).append(r)
    others = [r for r in results if r["part"] == "other"]
    opens = {}
    for r in results:
        if r["part"] == "open" and r["rate"]:
            opens.setdefault(r["mode"], []).append(r)
    draw_throughput(sides)
    draw_latency(opens)
    quiet = max(r["other_cores"] for r in results)
    sizes = {(r["server"], r["mode"], r.get("like")): r for r in sides[64]}
    replay, fixed = sizes["transferd", "replay", None], sizes["transferd", "fixed", None]
    peer = sizes["nginx", "fixed", "replay"]
    outcomes = sum(r["outcomes"] for r in ends)
    names = {"mode": name}
    warning = "" if quiet <= 0.2 else (
        f"\n\n**Other work used up to {quiet} cores while this was measured: the absolute figures are too low and the "
        "ratios rough.**")
    write_excerpt(header, sides[64], warning)
    (HERE / "RESULTS.md").write_text(f"""# Figures

Made by `make bench` on {header["date"]} at {header["commit"]}: {header["cores"]} cores ({header["machine"]}, virtual),
shared by server, generator and nginx; SQLite (WAL, synchronous=FULL); each figure from {header["seconds"]:g} s.{warning}

Every answer was checked: status, key, amount, the mark of a replay, and that a replay has the first answer's bytes; a
wrong one ends the run. Afterwards the stored outcomes were counted against the answers ({outcomes:,}), and
`transferd verify` passed on each database. {sum(r["bytes"] for r in ends) / outcomes:,.0f} bytes an outcome on disk.

`other cores` is what the rest of the machine did: above 0.2 a figure is better made again. `load cores` near 1 means
that the generator, which is one thread, was the limit. Compare figures of one run only.

## Side by side

One request under way on each connection, so latencies are those at saturation. Replays and look-ups are of 5,000 keys at
random, whose answers transferd still has in memory for the replays. nginx (one worker, keep-alive, no log)
gets the same requests as the line above it and gives the same answer from its configuration (for a replay
{peer["request_bytes"]:.0f} bytes and {peer["answer_bytes"]:.0f} bytes back, {replay["answer_bytes"]:.0f} from transferd). The 404
is the cheapest answer with a body that transferd has: no token, no JSON to read, a request of {fixed["request_bytes"]:.0f} bytes
and {fixed["answer_bytes"]:.0f} back.

![requests a second, and CPU time a request](throughput.svg)

""" + "\n\n".join(f"{connections} connections:\n\n" + table(names | COMMON | MEMORY | ENDS, rows)
                  for connections, rows in sides.items()) + "\n\n" + ratios(sides) + """

## Other modes

conflict: four connections send the same new key at once, then one of them sends it again; exactly one executes it.
reuse: a stored key with another amount. refusal: more than there is, each asked twice. mixed day: of 100 requests 40
new, 10 known keys again, 30 look-ups, 15 lists, 5 refusals. reconnect storm: all connections send a new key; half of
them have their answers and the others' attempts are still running when all are closed; at once all are opened again and
send the key again (`Prefer: wait`); requests/s and latencies are of that, from the moment of the cut, connecting
included.

""" + table(names | {"connections": lambda r: r["connections"]} | COMMON | {"answers": statuses} | ENDS, others) + """

## Offered load

256 connections. Requests are due at random moments (Poisson), whatever the server does, and latency counts from when a
request was due, so a stall counts for all who would have come meanwhile. Offered are 20 to 120 % of what 64
connections did in the closed loop above; beyond what the server can do, latency grows for as long as one measures.

![latency against offered load](latency.svg)

""" + table(names | {"offered/s": lambda r: f"{r['rate']:,}"} | COMMON | ENDS,
            [r for rows in opens.values() for r in rows]) + "\n")


main()
