#!/usr/bin/env python3
"""firstbyte: milliseconds from starting an echo server to its first echoed byte.

    bench/firstbyte.py --server 'epoll=./millrace echo --listen 127.0.0.1:0 --transport epoll' [--server …] [--rounds 15]

A server prints `listening on HOST:PORT` when it is ready. The clock starts before the command is executed and stops when one byte has
come back; the servers take turns (A B A B …), one at a time. Prints the median, the least and the most of each, and the median until
the line.
"""
import argparse, re, shlex, signal, socket, statistics, subprocess, sys, time

LISTENING = re.compile(rb"listening on .*:(\d+)")


def once(command):
    start = time.monotonic()
    with subprocess.Popen(shlex.split(command), stdout=subprocess.PIPE) as server:
        try:
            line = server.stdout.readline()
            listening = time.monotonic()
            found = LISTENING.search(line)
            if not found:
                sys.exit(f"{command}: said {line!r} instead of 'listening on …'")
            with socket.create_connection(("127.0.0.1", int(found[1])), 5) as peer:
                peer.sendall(b"x")
                if peer.recv(1) != b"x":
                    sys.exit(f"{command}: no echo")
            return (time.monotonic() - start) * 1e3, (listening - start) * 1e3
        finally:
            server.send_signal(signal.SIGTERM)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--server", action="append", required=True)
    p.add_argument("--rounds", type=int, default=15)
    a = p.parse_args()
    servers = dict(spec.split("=", 1) for spec in a.server)
    times = {name: [] for name in servers}
    for command in servers.values():
        once(command)
    for _ in range(a.rounds):
        for name, command in servers.items():
            times[name].append(once(command))
    print("| server | first byte, median ms | least | most | listening, median ms |\n|---|---|---|---|---|")
    for name, rounds in times.items():
        first = [r[0] for r in rounds]
        print(f"| {name} | {statistics.median(first):.0f} | {min(first):.0f} | {max(first):.0f} | {statistics.median(r[1] for r in rounds):.0f} |")


if __name__ == "__main__":
    main()
