#!/usr/bin/env python3
"""smooth: is CPU per message a smooth function of the message's size? Reads what `echobench.py --json FILE` wrote.

    bench/smooth.py FILE [--limit 1.15]

For each server and each size between the smallest and the largest: the median CPU per message, divided by the log-log interpolation of
its two neighbours. Exit status 1 when one of a server's ratios is above the limit: measure that size again with more rounds.
"""
import argparse, json, math, statistics, sys


def interpolated(x, low, high):
    (x0, y0), (x1, y1) = ((math.log(a), math.log(b)) for a, b in (low, high))
    return math.exp(y0 + (y1 - y0) * (math.log(x) - x0) / (x1 - x0))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("file")
    p.add_argument("--limit", type=float, default=1.15)
    a = p.parse_args()
    with open(a.file) as f:
        table = json.load(f)
    servers = {}
    for shape, rows in table.items():
        size, _ = shape.split("x")
        for name, rounds in rows.items():
            servers.setdefault(name, []).append((int(size), statistics.median(r["cpu_us"] for r in rounds)))
    worst = 0
    print("| size, bytes | " + " | ".join(f"{name} us | ratio" for name in servers) + " |")
    print("|---|" + "---|---|" * len(servers))
    for points in servers.values():
        points.sort()
    for i, (size, _) in enumerate(next(iter(servers.values()))):
        cells = []
        for points in servers.values():
            inner = 0 < i < len(points) - 1
            ratio = points[i][1] / interpolated(size, points[i - 1], points[i + 1]) if inner else None
            worst = max(worst, ratio or 0)
            cells += [f"{points[i][1]:.2f}", f"{ratio:.2f}" if ratio else ""]
        print(f"| {size} | " + " | ".join(cells) + " |")
    sys.exit(1 if worst > a.limit else 0)


if __name__ == "__main__":
    main()
