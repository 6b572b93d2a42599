#!/usr/bin/env python3
"""JDBC in handlers on virtual threads: our loops against the JDK's scheduler.

Starts a PostgreSQL of Debian's packages with a table, and the example Database twice: with its handlers carried by the
loops once they have earned that, and with -Dmillrace.noCarriers=true. Then both get the same load in turn, round by
round: 32 connections that ask the database every ten milliseconds, and 8 that ask for a constant every two, so that both
get as many requests of either kind, and the machine has some rest. Printed for each round: server CPU in microseconds
per request (utime and stime of /proc/PID/stat) and the 99th percentile of the constant; at the end the medians, and the
median of the ratios of pairs with its 95 % interval.

The pool has 16 connections and each of them logs in again after half a minute, so that there are log-ins all the time.

    bench/jdbc.py [--rounds 15] [--seconds 4]

Needs wrk and PostgreSQL (packages wrk and postgresql).
"""

import argparse
import glob
import os
import pathlib
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
JDBC = 32
PLAIN = 8
TICKS = os.sysconf("SC_CLK_TCK")
SQUARES = """
local id = 0
request = function() id = id % 10000 + 1; return wrk.format("GET", "/square?id=" .. id) end
delay = function() return 10 end
"""
CONSTANT = "delay = function() return 2 end"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("jdbc: no wrk: install the package wrk")
    with tempfile.TemporaryDirectory() as folder, Postgres(pathlib.Path(folder)) as database:
        paths = class_path(folder)
        scripts = pathlib.Path(folder, "squares.lua"), pathlib.Path(folder, "constant.lua")
        for script, text in zip(scripts, (SQUARES, CONSTANT)):
            script.write_text(text)
        servers = [Server(name, flags, paths, database.url) for name, flags in
                   (("loop", []), ("jdk", ["-Dmillrace.noCarriers=true"]))]
        try:
            for server in servers:
                server.round(options.seconds * 2, scripts)
            for number in range(options.rounds):
                for server in servers if number % 2 else reversed(servers):
                    server.measure(options.seconds, scripts)
                print(number + 1, *(str(server) for server in servers), sep="\t", flush=True)
            report(*servers)
        finally:
            for server in servers:
                server.process.terminate()


def class_path(folder):
    file = pathlib.Path(folder, "classpath")
    subprocess.run([ROOT / "millrace", "mvn", "-q", "-Dfast", "-pl", "core,http,http-jackson,examples", "compile",
                    "dependency:build-classpath", f"-Dmdep.outputFile={file}"], check=True)
    return file.read_text().strip() + ":" + str(ROOT / "examples/target/fast/classes")


def free_port():
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


def await_port(port, process):
    while process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"jdbc: {process.args[0]} ended with {process.returncode}")


class Postgres:
    """One with data of its own, that asks for a password as an installed one does."""

    def __init__(self, folder):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not programs:
            sys.exit("jdbc: no PostgreSQL in /usr/lib/postgresql: install the package postgresql")
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        folder.chmod(0o777)
        password = folder / "password"
        password.write_text("secret")
        data = folder / "data"
        subprocess.run([*self.user, f"{programs[-1]}/initdb", "-D", data, "-U", "test", "-A", "scram-sha-256",
                        f"--pwfile={password}"], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        port = free_port()
        self.process = subprocess.Popen([f"{programs[-1]}/postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port),
                                         "-k", folder, "-F"], cwd=folder, stderr=subprocess.DEVNULL,
                                        user="postgres" if self.user else None)
        await_port(port, self.process)
        self.url = f"jdbc:postgresql://127.0.0.1:{port}/postgres?user=test&password=secret"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


class Server:
    def __init__(self, name, flags, paths, url):
        self.name = name
        self.costs = []
        self.tails = []
        port = free_port()
        java = os.environ.get("MILLRACE_JAVA_HOME") or sorted(glob.glob("/usr/lib/jvm/*25*"))[-1]
        self.process = subprocess.Popen([f"{java}/bin/java", "--enable-native-access=ALL-UNNAMED",
                                         "--add-opens=java.base/java.lang=ALL-UNNAMED", *flags, "-cp", paths,
                                         "io.millrace.examples.Database", str(port), url])
        await_port(port, self.process)
        self.uri = f"http://127.0.0.1:{port}"

    def ticks(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def round(self, seconds, scripts):
        """Server CPU in microseconds per request, and the constant's 99th percentile in milliseconds."""
        before = self.ticks()
        loads = [subprocess.Popen(["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script,
                                   self.uri], stdout=subprocess.PIPE, text=True)
                 for connections, script in zip((JDBC, PLAIN), scripts)]
        told = [load.communicate()[0] for load in loads]
        used = self.ticks() - before
        if any("Non-2xx" in said or "Socket errors" in said for said in told):
            sys.exit(f"jdbc: {self.name} failed:\n" + "\n".join(told))
        requests = [int(re.search(r"(\d+) requests in", said)[1]) for said in told]
        return used * 1e6 / TICKS / sum(requests), millis(re.search(r"99%\s+(\S+)", told[1])[1]), requests

    def measure(self, seconds, scripts):
        cost, tail, self.requests = self.round(seconds, scripts)
        self.costs.append(cost)
        self.tails.append(tail)

    def __str__(self):
        return (f"{self.name} {self.costs[-1]:.1f} us, p99 {self.tails[-1]:.2f} ms,"
                f" {self.requests[0]} + {self.requests[1]} requests")


def millis(text):
    number, unit = re.fullmatch(r"([\d.]+)(us|ms|s|m)", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000, "m": 60_000}[unit]


def report(ours, theirs):
    ratios = [a / b for a, b in zip(ours.costs, theirs.costs)]
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(2000))
    for server in (ours, theirs):
        print(f"{server.name}: {statistics.median(server.costs):.1f} us of CPU per request,"
              f" p99 of the constant {statistics.median(server.tails):.2f} ms, at most {max(server.tails):.2f}")
    print(f"{ours.name} / {theirs.name}: {statistics.median(ratios):.3f} [{medians[50]:.3f} - {medians[1949]:.3f}]")


if __name__ == "__main__":
    main()
