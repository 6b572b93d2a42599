#!/usr/bin/env python3
"""HTTP over TLS: what servers take of the processor for the same work, in turn, round by round.

Kinds of work, on connections of wrk: small responses on connections that stay; bodies that come and go on connections
that stay, each in one record of 16 KiB with its head; a connection for each request, which is a whole handshake (ECDSA
P-256, TLS 1.3; wrk resumes nothing); and the first and the last once more through a tunnel of the proxy, which reads the
name that is asked for, or does not look at the bytes. Printed for each server and kind: the median of server CPU in
microseconds per request, the share of it outside of the kernel (user), and the median of the ratios to the first
server in the same round with its 95 % interval; where the server in the clear and the engine alone take part, what TLS
costs above the two of them. And what an idle connection keeps of the heap, over TLS and in the clear.

    bench/tls.py [--rounds 15] [--seconds 2] [--warm-up 10] [--kinds KIND,…] [--only NAME,…]

Servers: millrace over TLS and in the clear (plain), the JDK's engine alone without sockets (engine), netty-jdk and
netty-tcnative (./millrace mvn -q -f lab/peers/pom.xml package), nginx where it is installed. All with one loop, over
epoll, and all JVMs with the same collector and heap. Needs wrk and openssl.
"""

import argparse
import glob
import os
import pathlib
import random
import re
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TICKS = os.sysconf("SC_CLK_TCK")
HEAP = ["-Xmx256m", "-XX:+UseSerialGC"]
JVM = HEAP + ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
       "--add-opens=java.base/java.lang=ALL-UNNAMED"]
# With the head of the request, and that of the response, it fills one record.
BODY = 16184
ECHO = 'wrk.method = "POST"; wrk.body = string.rep("x", %d)' % BODY
PASSWORD = "millrace"
SERVERS = ["millrace", "plain", "netty-jdk", "netty-tcnative"]
# What is asked for, connections, whether each request has one of its own, and who takes part; ratios are to the first.
KINDS = {"small": ("/plaintext", 64, False, SERVERS + ["nginx"]),
         "bodies": ("/echo", 8, False, SERVERS + ["engine"]),
         "handshakes": ("/plaintext", 32, True, SERVERS + ["engine", "nginx"]),
         "tunnel": ("/plaintext", 64, False, ["by-name", "by-bytes"]),
         "tunnel-handshakes": ("/plaintext", 32, True, ["by-name", "by-bytes"])}
IDLE_CONNECTIONS = 2000
TUNNEL = """listeners:
  passing:
    address: 127.0.0.1:0
    layer: 4
    %s
upstreams:
  nginx:
    endpoints: [127.0.0.1:%d]
runtime: {loops: 1, transport: epoll}
"""
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
    parser.add_argument("--kinds", default=",".join([*KINDS, "idle"]))
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    for program in ("wrk", "openssl"):
        if not shutil.which(program):
            sys.exit("tls: there is no " + program + ": install the package " + program)
    with tempfile.TemporaryDirectory() as folder:
        certificate(folder)
        for kind in options.kinds.split(","):
            if kind == "idle":
                idle(folder)
            else:
                run(kind, Work(folder, *KINDS[kind]), options)


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-nodes", "-days", "30", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:P-256", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder + "/key.pem", "-out",
                    folder + "/chain.pem"], check=True, capture_output=True)
    subprocess.run(["openssl", "pkcs12", "-export", "-in", folder + "/chain.pem", "-inkey", folder + "/key.pem",
                    "-passout", "pass:" + PASSWORD, "-out", folder + "/identity.p12"], check=True)


class Work:
    def __init__(self, folder, path, connections, closes, servers):
        self.folder, self.path, self.connections, self.closes = folder, path, connections, closes
        self.servers = servers
        self.script = []
        if path == "/echo":
            pathlib.Path(folder, "work.lua").write_text(ECHO)
            self.script = ["-s", folder + "/work.lua"]

    def load(self, scheme, port, seconds):
        """How many requests were answered."""
        header = ["-H", "Connection: close"] if self.closes else []
        said = subprocess.run(["wrk", "-t1", "-c%d" % self.connections, "-d%ds" % seconds, *header, *self.script,
                               "%s://localhost:%d%s" % (scheme, port, self.path)], check=True, capture_output=True,
                              text=True).stdout
        if "Non-2xx" in said:
            sys.exit("tls: " + said)
        return int(re.search(r"(\d+) requests in", said).group(1))


class Server:
    """A process that is asked over the network; what it stands in front of ends with it."""

    def __init__(self, name, command, port=0, scheme="https", behind=None, environment=None):
        self.name, self.scheme, self.behind = name, scheme, behind
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        self.port = port or self.listening()
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        self.rounds, self.ratios = [], []

    def listening(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("tls: %s does not start" % self.name)
        return int(line.rsplit(":", 1)[1])

    def cpu(self):
        """Microseconds of user and of system time."""
        ticks = [0, 0]
        for pid in [self.process.pid] + children(self.process.pid):
            fields = pathlib.Path("/proc/%d/stat" % pid).read_text().rsplit(")", 1)[1].split()
            ticks = [ticks[0] + int(fields[11]), ticks[1] + int(fields[12])]
        return [each / TICKS * 1e6 for each in ticks]

    def round(self, work, seconds):
        """Microseconds of each request: of all, and outside of the kernel."""
        before = self.cpu()
        count = max(work.load(self.scheme, self.port, seconds), 1)
        after = self.cpu()
        return (sum(after) - sum(before)) / count, (after[0] - before[0]) / count

    def close(self):
        self.process.terminate()
        self.process.wait()
        if self.behind:
            self.behind.close()


class Engine:
    """The JDK's engine, which tells what it took."""
    name = "engine"

    def __init__(self, work):
        self.order = "handshakes" if work.closes else "records"
        self.process = subprocess.Popen([java(), *JVM, str(ROOT / "bench/TlsEngine.java"), work.folder + "/identity.p12",
                                         PASSWORD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.rounds, self.ratios = [], []

    def round(self, _, seconds):
        self.process.stdin.write("%s %d\n" % (self.order, seconds))
        self.process.stdin.flush()
        micros = float(self.process.stdout.readline())
        return micros, micros

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def children(pid):
    path = pathlib.Path("/proc/%d/task/%d/children" % (pid, pid))
    return [int(child) for child in path.read_text().split()]


def millrace(name, command, *arguments, **more):
    flags = dict(os.environ, MILLRACE_JAVA_OPTS=" ".join(HEAP + os.environ.get("MILLRACE_JAVA_OPTS", "").split()))
    return Server(name, [str(ROOT / "millrace"), command, *arguments], environment=flags, **more)


def http(work, name, listen, *more, **others):
    closing = ["--close"] if work.closes else []
    return millrace(name, "http", listen, "127.0.0.1:0", "--loops", "1", "--transport", "epoll", *more, *closing, **others)


def pair(folder):
    return ["--cert", folder + "/chain.pem", "--key", folder + "/key.pem"]


def netty(work, name, engine):
    target = ROOT / "lab/peers/netty/target"
    return Server(name, [
        java(), *JVM, "-cp", str(target / "classes") + ":" + (target / "classpath.txt").read_text().strip(),
        "io.millrace.lab.peer.netty.NettyHttp", "--engine", engine, "--identity", work.folder, "--transport", "epoll",
        *(["--close"] if work.closes else [])])


def tunnel(work, name, passing):
    behind = nginx(work, name)
    configuration = pathlib.Path(work.folder, name + ".yaml")
    configuration.write_text(TUNNEL % (passing, behind.port))
    return millrace(name, "proxy", "--config", str(configuration), behind=behind)


MAKERS = {
    "millrace": lambda work: http(work, "millrace", "--tls-listen", *pair(work.folder)),
    "plain": lambda work: http(work, "plain", "--listen", scheme="http"),
    "engine": Engine,
    "netty-jdk": lambda work: netty(work, "netty-jdk", "jdk"),
    "netty-tcnative": lambda work: netty(work, "netty-tcnative", "openssl"),
    "nginx": lambda work: nginx(work, "nginx"),
    "by-name": lambda work: tunnel(work, "by-name", "server-names: {localhost: nginx}"),
    "by-bytes": lambda work: tunnel(work, "by-bytes", "upstream: nginx")}


def servers(work, only):
    has_nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    names = [name for name in work.servers if not only or name in only.split(",")]
    return [MAKERS[name](work) for name in names if has_nginx or name not in ("nginx", "by-name", "by-bytes")]


def nginx(work, name):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    folder = tempfile.mkdtemp(dir=work.folder)
    text = NGINX.format(folder=folder, port=port, cert=work.folder + "/chain.pem", key=work.folder + "/key.pem",
                        timeout="keepalive_timeout 0;" if work.closes else "")
    pathlib.Path(folder, "nginx.conf").write_text(text)
    return Server(name, ["/usr/sbin/nginx", "-p", folder, "-c", "nginx.conf"], port)


def java():
    return (os.environ.get("MILLRACE_JAVA_HOME") or sorted(glob.glob("/usr/lib/jvm/*25*"))[-1]) + "/bin/java"


def run(kind, work, options):
    all_of_them = servers(work, options.only)
    if not all_of_them:
        return
    try:
        for server in all_of_them:
            server.round(work, options.warm_up)
        for _ in range(options.rounds):
            found = {server: server.round(work, options.seconds)
                     for server in random.sample(all_of_them, len(all_of_them))}
            for server in all_of_them:
                server.rounds.append(found[server])
                server.ratios.append(found[all_of_them[0]][0] / found[server][0])
    finally:
        for server in all_of_them:
            server.close()
    print("%s x %d" % (kind, work.connections))
    for server in all_of_them:
        micros, user = (statistics.median(column) for column in zip(*server.rounds))
        print("  %-15s %8.1f us per request, %8.1f of it user   %s is %.2f of it (%.2f to %.2f)" % (
            server.name, micros, user, all_of_them[0].name, statistics.median(server.ratios), *interval(server.ratios)),
            flush=True)
    told = {server.name: [micros for micros, _ in server.rounds] for server in all_of_them}
    if all(name in told for name in ("millrace", "plain", "engine")):
        above = [a - b - c for a, b, c in zip(told["millrace"], told["plain"], told["engine"])]
        print("  above the engine: %.2f us per request (%.2f to %.2f)" % (statistics.median(above), *interval(above)))


def interval(ratios):
    """Of the median, by resampling."""
    medians = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    return medians[50], medians[1949]


def idle(folder):
    work = Work(folder, "/plaintext", 1, False, ["millrace", "plain"])
    trusting = ssl.create_default_context(cafile=folder + "/chain.pem")
    print("idle: heap of each of %d connections" % IDLE_CONNECTIONS)
    for server in servers(work, ""):
        try:
            ask(server, trusting, 500)
            before = heap(server)
            kept = ask(server, trusting, IDLE_CONNECTIONS)
            print("  %-15s %8d bytes" % (server.name, (heap(server) - before) / len(kept)), flush=True)
        finally:
            server.close()


def ask(server, trusting, count):
    """Connections that have asked once."""
    kept = []
    for _ in range(count):
        connection = socket.create_connection(("127.0.0.1", server.port))
        if server.scheme == "https":
            connection = trusting.wrap_socket(connection, server_hostname="localhost")
        connection.sendall(b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n")
        connection.recv(1000)
        kept.append(connection)
    return kept


def heap(server):
    """Of the objects that are in use, in bytes."""
    jcmd = java()[:-len("java")] + "jcmd"
    pid = next((child for child in children(server.process.pid)), server.process.pid)
    for _ in range(3):
        said = subprocess.run([jcmd, str(pid), "GC.class_histogram"], check=True, capture_output=True, text=True).stdout
    return int(said.strip().splitlines()[-1].split()[2])


if __name__ == "__main__":
    main()
