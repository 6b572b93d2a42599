#!/usr/bin/env python3
"""resident: what flags of the JVM cost the layer-7 proxy of a runtime image, in memory and in time.

    bench/resident.py IMAGE --flags 'as shipped=' --flags 'G1=-XX:-UseSerialGC -XX:+UseG1GC' [--seconds 60] [--rounds 1]

IMAGE is an unpacked runtime image. For each set of flags it starts the proxy in front of the image's own HTTP server, waits until the
proxy has been idle for 15 s, and has wrk send requests on 50 connections: 6 s, then so many that SECONDS are over, the last 10 of them
apart. Sets take turns. Prints medians: resident (RSS) and proportional (PSS) memory in MiB, when idle and at the end; CPU of the proxy in µs
for each request, in the first 6 s and in the last 10; requests/s in the last 10.
"""
import argparse, os, re, signal, statistics, subprocess, time

IDLE, FIRST, LAST = 15, 6, 10


def serve(image, *command, flags=""):
    server = subprocess.Popen([f"{image}/bin/millrace", *command, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, env=dict(os.environ, MILLRACE_JAVA_OPTS=flags))
    return server, re.search(rb"listening on (.*)", server.stdout.readline())[1].decode()


def memory(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        found = dict(re.findall(r"^(Rss|Pss): +(\d+) kB", file.read(), re.M))
    return int(found["Rss"]) / 1024, int(found["Pss"]) / 1024


def cpu(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def load(address, pid, seconds):
    """CPU of the process in µs for each request, and requests/s."""
    before = cpu(pid)
    said = subprocess.run(["wrk", "-t1", "-c50", f"-d{seconds}", f"http://{address}/plaintext"], stdout=subprocess.PIPE, check=True).stdout
    requests = int(re.search(rb"(\d+) requests in", said)[1])
    return (cpu(pid) - before) / requests * 1e6, requests / seconds


def measure(image, flags, seconds):
    backend, at = serve(image, "http")
    proxy, address = serve(image, "proxy", "--layer", "7", "--to", at, flags=flags)
    try:
        time.sleep(IDLE)
        idle = memory(proxy.pid)
        first, _ = load(address, proxy.pid, FIRST)
        if seconds > FIRST + LAST:
            load(address, proxy.pid, seconds - FIRST - LAST)
        warm, rate = load(address, proxy.pid, LAST)
        return (*idle, *memory(proxy.pid), first, warm, first / warm, rate)
    finally:
        for each in (proxy, backend):
            each.send_signal(signal.SIGTERM)
            each.wait()


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("image")
    p.add_argument("--flags", action="append", required=True)
    p.add_argument("--seconds", type=int, default=60)
    p.add_argument("--rounds", type=int, default=1)
    a = p.parse_args()
    sets = dict(spec.split("=", 1) for spec in a.flags)
    found = {name: [] for name in sets}
    for _ in range(a.rounds):
        for name, flags in sets.items():
            found[name].append(measure(a.image, flags, a.seconds))
    print(f"{'':<28}  idle RSS    PSS   end RSS    PSS   first µs   warm µs   ratio   requests/s")
    for name, rounds in found.items():
        r = [statistics.median(column) for column in zip(*rounds)]
        print(f"{name:<28}  {r[0]:8.0f}  {r[1]:5.0f}  {r[2]:8.0f}  {r[3]:5.0f}  {r[4]:9.1f}  {r[5]:8.1f}  {r[6]:6.2f}  {r[7]:11,.0f}", flush=True)


main()
