#!/usr/bin/env python3
"""beside: the layer-7 proxy of a runtime image beside nginx, HAProxy and Caddy, and beside itself with other flags of the JVM.

    bench/beside.py IMAGE [--tables beside,flags,first-byte] [--seconds 60] [--rounds 2] [--starts 11] [--flags NAME=FLAGS…]
                    [--caddy caddy] [--before CHECKOUT] [--write docs/benchmarks.md]

IMAGE is an unpacked runtime image. All stand in front of one nginx that answers 13 bytes, keep their connections to it, write no log,
and have a worker, thread or loop for each core. Tables:

beside      start to first byte: from executing the command until the first byte of a proxied response, medians of STARTS in turns.
            Then all are started anew, and idle for 15 s; wrk sends requests on 50 connections to one after the other, SECONDS each,
            and at last 5 s to each in turns, twice. Resident (RSS) and proportional (PSS) memory in MiB, of all processes of a
            server, idle and at the end; CPU of the server in µs for each request, in the first 6 s and in the last 10.
flags       the same with 22 s of load, for the image as shipped and with one thing changed each: FLAGS of this file, and those named.
first-byte  milliseconds until an echo server's first byte, the image beside `./millrace` of CHECKOUT (a commit of before), in turns.

Rounds start everything anew; medians are printed, as tables of Markdown. --write puts each between its markers in a document.
"""
import argparse, datetime, os, pathlib, re, socket, statistics, subprocess, sys, tempfile, time
import firstbyte

IDLE, FIRST, LAST = 15, 6, 5
SECONDS_FOR_FLAGS = 22
TICKS = os.sysconf("SC_CLK_TCK")

# What is changed, flags of the JVM, and options of the proxy.
FLAGS = [
    ("as shipped", "", ""),
    ("heap from 8 MiB on", "-Xms8m", ""),
    ("heap of 64 MiB at most", "-Xmx64m", ""),
    ("the JVM's heap: sizes as it chooses", "-Xms376m -XX:MinHeapFreeRatio=40 -XX:MaxHeapFreeRatio=70", ""),
    ("G1", "-XX:-UseSerialGC -XX:+UseG1GC", ""),
    ("Parallel", "-XX:-UseSerialGC -XX:+UseParallelGC", ""),
    ("whole object headers", "-XX:-UseCompactObjectHeaders", ""),
    ("stacks of 256 KiB", "-XX:ThreadStackSize=256", ""),
    ("slabs not pooled", "", "--slabs unpooled"),
    ("no return of freed native memory", "-XX:TrimNativeHeapInterval=0", ""),
    ("no AOT cache", "-XX:AOTMode=off", ""),
    ("thresholds of compilers as Java has them", "-XX:CompileCommand=CompileThresholdScaling,*::*,1.0", ""),
    ("one compiler", "-XX:TieredStopAtLevel=1", ""),
]

BACKEND = """daemon off; worker_processes auto; pid FOLDER/pid; error_log stderr crit;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 1000000000; server { listen 127.0.0.1:PORT; location / { return 200 "Hello, World!"; } } }
"""
NGINX = """daemon off; worker_processes auto; pid FOLDER/pid; error_log stderr crit;
events { worker_connections 4096; }
http { access_log off; keepalive_requests 1000000000;
  upstream backend { server BACKEND; keepalive 64; keepalive_requests 1000000000; }
  server { listen 127.0.0.1:PORT;
    location / { proxy_pass http://backend; proxy_http_version 1.1; proxy_set_header Connection ""; } } }
"""
HAPROXY = """global
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen web
  bind 127.0.0.1:PORT
  server backend BACKEND
"""
CADDY = """{
  admin off
  auto_https off
}
http://127.0.0.1:PORT {
  reverse_proxy BACKEND
}
"""


class Server:
    """A command that serves on a port of loopback. In it and in its configuration PORT, BACKEND, FOLDER and FILE are replaced."""

    def __init__(self, name, command, configuration="", environment={}):
        self.name, self.command, self.configuration, self.environment = name, command, configuration, environment

    def start(self, backend):
        self.folder = tempfile.TemporaryDirectory()
        self.port = free_port()
        file = pathlib.Path(self.folder.name, "Caddyfile")
        words = {"PORT": str(self.port), "BACKEND": backend, "FOLDER": self.folder.name, "FILE": str(file)}
        fill = lambda text: re.sub("PORT|BACKEND|FOLDER|FILE", lambda word: words[word[0]], text)
        file.write_text(fill(self.configuration))
        log = open(pathlib.Path(self.folder.name, "log"), "w")
        began = time.monotonic()
        environment = dict(os.environ, XDG_DATA_HOME=self.folder.name, XDG_CONFIG_HOME=self.folder.name, **self.environment)
        self.process = subprocess.Popen([fill(word) for word in self.command], stdout=log, stderr=log, env=environment)
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() - began > 60:
                sys.exit(f"{self.name} does not serve: " + pathlib.Path(log.name).read_text()[-500:])
            time.sleep(0.001)
        return (time.monotonic() - began) * 1e3

    def answers(self):
        try:
            with socket.create_connection(("127.0.0.1", self.port), 10) as peer:
                peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return peer.recv(12) == b"HTTP/1.1 200"
        except ConnectionRefusedError:
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def processes(self):
        found = [self.process.pid]
        for pid in found:
            for children in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
                found += map(int, children.read_text().split())
        return found

    def memory(self):
        """RSS and PSS in MiB."""
        sums = [0, 0]
        for pid in self.processes():
            rollup = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
            for i, word in enumerate(("Rss", "Pss")):
                sums[i] += int(re.search(rf"^{word}: +(\d+) kB", rollup, re.M)[1]) / 1024
        return sums

    def cpu(self):
        """Seconds."""
        stats = [pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in self.processes()]
        return sum(int(fields[11]) + int(fields[12]) for fields in stats) / TICKS

    def load(self, seconds):
        """CPU in seconds, and requests."""
        before = self.cpu()
        command = ["wrk", "-t1", "-c50", f"-d{seconds}", f"http://127.0.0.1:{self.port}/"]
        said = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
        if "Non-2xx" in said or "Socket errors" in said:
            print(f"{self.name}: {said}", file=sys.stderr)
        return self.cpu() - before, int(re.search(r"(\d+) requests in", said)[1])


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def millrace(image, name, flags="", options=""):
    command = [f"{image}/bin/millrace", "proxy", "--layer", "7", "--listen", "127.0.0.1:PORT", "--to", "BACKEND", *options.split()]
    return Server(name, command, environment={"MILLRACE_JAVA_OPTS": flags})


def others(caddy):
    return [
        Server("nginx", ["nginx", "-c", "FILE", "-p", "FOLDER"], NGINX),
        Server("HAProxy", ["haproxy", "-db", "-q", "-f", "FILE"], HAPROXY),
        Server("Caddy", [caddy, "run", "--adapter", "caddyfile", "--config", "FILE"], CADDY),
    ]


def one_round(servers, backend, seconds):
    """For each server: idle RSS and PSS, first and last µs for a request, their ratio, RSS and PSS at the end."""
    try:
        for server in servers:
            server.start(backend)
        time.sleep(IDLE)
        idle = [server.memory() for server in servers]
        first = []
        for server in servers:
            first.append(server.load(FIRST))
            if seconds > FIRST + 2 * LAST:
                server.load(seconds - FIRST - 2 * LAST)
        last = [[server.load(LAST) for server in servers] for _ in range(2)]
        found = []
        for i, server in enumerate(servers):
            cold = first[i][0] / first[i][1] * 1e6
            warm = sum(half[i][0] for half in last) / sum(half[i][1] for half in last) * 1e6
            found.append((*idle[i], cold, warm, cold / warm, *server.memory()))
        return found
    finally:
        for server in servers:
            if hasattr(server, "process"):
                server.stop()


def measured(servers, backend, seconds, rounds):
    """The medians of what one_round says, for each server."""
    all_rounds = [one_round(servers, backend, seconds) for _ in range(rounds)]
    return [[statistics.median(column) for column in zip(*(one[i] for one in all_rounds))] for i in range(len(servers))]


def starts(servers, backend, count):
    times = {server.name: [] for server in servers}
    for _ in range(count + 1):
        for server in servers:
            times[server.name].append(server.start(backend))
            server.stop()
    return [statistics.median(times[server.name][1:]) for server in servers]


def table_beside(options, backend):
    servers = [millrace(options.image, "**Millrace**"), *others(options.caddy)]
    begins = starts(servers, backend, options.starts)
    yield "| | first byte, ms | idle RSS, MiB | PSS | loaded RSS | PSS | first 6 s, CPU µs/request | last 10 s | ratio | requests per CPU second |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for server, begin, m in zip(servers, begins, measured(servers, backend, options.seconds, options.rounds)):
        yield f"| {server.name} | {begin:.0f} | {m[0]:.0f} | {m[1]:.0f} | {m[5]:.0f} | {m[6]:.0f} | {m[2]:.1f} | {m[3]:.1f} | {m[4]:.2f} | {1e6 / m[3]:,.0f} |"


def table_flags(options, backend):
    named = [(*spec.split("=", 1), "") for spec in options.flags]
    sets = [(name, millrace(options.image, name, flags, more), f"{flags} {more}".strip()) for name, flags, more in FLAGS + named]
    yield "| | changed | idle RSS, MiB | PSS | loaded RSS | PSS | first 6 s, CPU µs/request | last 10 s | ratio | requests per CPU second |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for (name, _, said), m in zip(sets, measured([one[1] for one in sets], backend, SECONDS_FOR_FLAGS, 1)):
        flags = f"`{said}`" if said else ""
        yield f"| {name} | {flags} | {m[0]:.0f} | {m[1]:.0f} | {m[5]:.0f} | {m[6]:.0f} | {m[2]:.1f} | {m[3]:.1f} | {m[4]:.2f} | {1e6 / m[3]:,.0f} |"


def table_first_byte(options, _):
    yield "| transport | image, ms | least | before, ms | least | ratio, start by start |"
    yield "|---|---|---|---|---|---|"
    for transport in ("nio", "epoll", "uring"):
        pair = [f"{launcher} echo --listen 127.0.0.1:0 --transport {transport}" for launcher in (f"{options.image}/bin/millrace", f"{options.before}/millrace")]
        times = [[firstbyte.once(command)[0] for command in pair] for _ in range(options.starts + 1)][1:]
        image, before = zip(*times)
        ratio = statistics.median(a / b for a, b in times)
        yield f"| {transport} | {statistics.median(image):.0f} | {min(image):.0f} | {statistics.median(before):.0f} | {min(before):.0f} | **{ratio:.2f}** |"


TABLES = {"beside": table_beside, "flags": table_flags, "first-byte": table_first_byte}


def write(document, name, lines):
    path = pathlib.Path(document)
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->\n"
    head, _, rest = path.read_text().partition(begin)
    _, _, tail = rest.partition(end)
    if not tail:
        sys.exit(f"{document} has no lines {begin.strip()} and {end.strip()}")
    path.write_text(head + begin + "\n".join(lines) + "\n" + end + tail)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("image", type=os.path.abspath)
    p.add_argument("--tables", default="beside,flags,first-byte")
    p.add_argument("--seconds", type=int, default=60)
    p.add_argument("--rounds", type=int, default=2)
    p.add_argument("--starts", type=int, default=11)
    p.add_argument("--flags", action="append", default=[])
    p.add_argument("--caddy", default="caddy")
    p.add_argument("--before", type=os.path.abspath)
    p.add_argument("--write", metavar="DOCUMENT")
    options = p.parse_args()
    names = options.tables.split(",")
    if "first-byte" in names and not options.before:
        p.error("the table first-byte needs --before CHECKOUT; without it: --tables beside,flags")
    backend = Server("the backend", ["nginx", "-c", "FILE", "-p", "FOLDER"], BACKEND)
    backend.start("")
    try:
        for name in names:
            lines = [f"Measured on {datetime.date.today():%-d %B %Y}.", "", *TABLES[name](options, f"127.0.0.1:{backend.port}")]
            print("\n".join(lines), flush=True)
            if options.write:
                write(options.write, name, lines)
    finally:
        backend.stop()


if __name__ == "__main__":
    main()
