#!/usr/bin/env python3
"""HTTP over TLS: what servers take of the processor for the same work, in turn, round by round.

Three kinds of work, each on connections of wrk: small responses on connections that stay, 16 KiB that come and go on
connections that stay, and a connection for each request, which is a whole handshake (ECDSA P-256, TLS 1.3; wrk resumes
nothing). Printed for each server and kind: the median of server CPU in microseconds per request (utime and stime of
/proc/PID/stat), and the median of the ratios to the first server in the same round with its 95 % interval.

    bench/tls.py [--rounds 15] [--seconds 2] [--warm-up 10] [--only NAME,…]

Servers: millrace, netty-jdk and netty-tcnative (./millrace mvn -q -f lab/peers/pom.xml package), nginx where it is
installed, for the small responses and the handshakes. All with one loop, over epoll. Needs wrk and openssl.
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
TICKS = os.sysconf("SC_CLK_TCK")
JVM = ["-Xmx256m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
       "--add-opens=java.base/java.lang=ALL-UNNAMED"]
ECHO = 'wrk.method = "POST"; wrk.body = string.rep("x", 16384)'
KINDS = {"small x 64": ("/plaintext", 64, False, None),
         "16 KiB both ways x 8": ("/echo", 8, False, ECHO),
         "handshakes x 32": ("/plaintext", 32, True, None)}
NGINX = """daemon off; worker_processes 1; pid {folder}/pid; error_log stderr crit;
events {{ worker_connections 4096; }}
http {{ access_log off; keepalive_requests 1000000000; default_type text/plain;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi; {timeout}
  server {{ listen 127.0.0.1:{port} ssl; ssl_protocols TLSv1.3; ssl_certificate {cert}; ssl_certificate_key {key};
    location / {{ return 200 "Hello, World!"; }} }} }}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--warm-up", type=int, default=10)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for program in ("wrk", "openssl"):
        if not shutil.which(program):
            sys.exit("tls: there is no " + program + ": install the package " + program)
    with tempfile.TemporaryDirectory() as folder:
        certificate(folder)
        for kind, (path, connections, closes, script) in KINDS.items():
            run(kind, Work(folder, path, connections, closes, script), options)


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-days", "30", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", folder + "/key.pem", "-out", folder + "/cert.pem"], check=True, capture_output=True)


class Work:
    def __init__(self, folder, path, connections, closes, script):
        self.folder, self.path, self.connections, self.closes = folder, path, connections, closes
        self.script = []
        if script:
            pathlib.Path(folder, "work.lua").write_text(script)
            self.script = ["-s", folder + "/work.lua"]

    def load(self, port, seconds):
        """How many requests were answered."""
        header = ["-H", "Connection: close"] if self.closes else []
        said = subprocess.run(["wrk", "-t1", "-c%d" % self.connections, "-d%ds" % seconds, *header, *self.script,
                               "https://127.0.0.1:%d%s" % (port, self.path)], check=True, capture_output=True,
                              text=True).stdout
        if "Non-2xx" in said:
            sys.exit("tls: " + said)
        return int(re.search(r"(\d+) requests in", said).group(1))


class Server:
    def __init__(self, name, command, port=0):
        self.name = name
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.port = port or int(self.process.stdout.readline().rsplit(":", 1)[1])
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        self.micros, self.ratios = [], []

    def cpu(self):
        ticks = 0
        for pid in [self.process.pid] + children(self.process.pid):
            fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
        return ticks / TICKS * 1e6

    def round(self, work, seconds):
        before = self.cpu()
        count = work.load(self.port, seconds)
        return (self.cpu() - before) / max(count, 1)

    def close(self):
        self.process.terminate()
        self.process.wait()


def children(pid):
    path = pathlib.Path("/proc/%d/task/%d/children" % (pid, pid))
    return [int(child) for child in path.read_text().split()]


def servers(work, only):
    pair = ["--cert", work.folder + "/cert.pem", "--key", work.folder + "/key.pem"]
    closing = ["--close"] if work.closes else []
    commands = {"millrace": lambda: Server("millrace", [
        str(ROOT / "millrace"), "http", "--tls-listen", "127.0.0.1:0", "--loops", "1", "--transport", "epoll", *pair,
        *closing])}
    netty = ROOT / "lab/peers/netty/target"
    for provider in ("jdk", "openssl"):
        name = "netty-" + ("jdk" if provider == "jdk" else "tcnative")
        commands[name] = lambda name=name, provider=provider: Server(name, [
            java(), *JVM, "-cp", str(netty / "classes") + ":" + (netty / "classpath.txt").read_text().strip(),
            "io.millrace.lab.peer.netty.NettyHttps", "--provider", provider, *pair, "--transport", "epoll", *closing])
    if shutil.which("nginx", path="/usr/sbin:/usr/bin") and not work.script:
        commands["nginx"] = lambda: nginx(work)
    return [make() for name, make in commands.items() if not only or name in only.split(",")]


def nginx(work):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    text = NGINX.format(folder=work.folder, port=port, cert=work.folder + "/cert.pem", key=work.folder + "/key.pem",
                        timeout="keepalive_timeout 0;" if work.closes else "")
    pathlib.Path(work.folder, "nginx.conf").write_text(text)
    return Server("nginx", ["/usr/sbin/nginx", "-p", work.folder, "-c", "nginx.conf"], port)


def java():
    return (os.environ.get("MILLRACE_JAVA_HOME") or sorted(glob.glob("/usr/lib/jvm/*25*"))[-1]) + "/bin/java"


def run(kind, work, options):
    all_of_them = servers(work, options.only)
    try:
        for server in all_of_them:
            server.round(work, options.warm_up)
        for _ in range(options.rounds):
            first = None
            found = {server.name: 0.0 for server in all_of_them}
            for server in random.sample(all_of_them, len(all_of_them)):
                found[server.name] = server.round(work, options.seconds)
            first = found[all_of_them[0].name]
            for server in all_of_them:
                server.micros.append(found[server.name])
                server.ratios.append(first / found[server.name])
    finally:
        for server in all_of_them:
            server.close()
    print(kind)
    for server in all_of_them:
        low, high = interval(server.ratios)
        print("  %-15s %8.1f us per request   %s is %.2f of it (%.2f to %.2f)" % (
            server.name, statistics.median(server.micros), all_of_them[0].name, statistics.median(server.ratios), low,
            high), flush=True)


def interval(ratios):
    """Of the median, by resampling."""
    medians = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    return medians[50], medians[1949]


if __name__ == "__main__":
    main()
