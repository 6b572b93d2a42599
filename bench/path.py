#!/usr/bin/env python3
"""The code on the way of one request: lines and files of the classes with at least one method that one request executes.

A server answers two thousand requests on one connection, so that everything that is made once is there; then what was
executed is forgotten (JaCoCo), one more request is answered, and what has a covered method since then is counted. Four
ways: a GET on a connection that stays; a POST with a body of 100 bytes that is echoed; and the GET once more through the
proxy, at layer 7 and at layer 4, of which only the proxy's process counts.

    bench/path.py [--files] [TREE…]

A TREE is a checkout of Millrace, this one by default; several are told one behind the other. --files names the files.
"""

import argparse
import collections
import csv
import glob
import os
import pathlib
import socket
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
JACOCO = "0.8.14"
PARTS = ["org.jacoco.agent:%s:jar:runtime", "org.jacoco.cli:%s:jar:nodeps"]
WARM = 2000
GET = b"GET /plaintext HTTP/1.1\r\nHost: localhost\r\n\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n" + b"x" * 100


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true")
    parser.add_argument("trees", nargs="*", default=[str(ROOT)])
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for part in PARTS:
            subprocess.run([str(ROOT / "millrace"), "mvn", "-q", "dependency:copy", "-DoutputDirectory=" + folder,
                            "-Dartifact=org.jacoco:" + part % JACOCO], check=True, cwd=ROOT)
        for tree in options.trees:
            measure(Tree(pathlib.Path(tree).resolve(), folder), options.files)


def measure(tree, names_files):
    print(tree.root)
    http = Server(tree, ["http", "--listen", "127.0.0.1:0", *LOOP])
    try:
        tell("GET", tree.executed(http, GET), names_files)
        tell("POST with 100 bytes", tree.executed(http, POST), names_files)
        for layer in ("7", "4"):
            to = "127.0.0.1:%d" % http.port
            proxy = Server(tree, ["proxy", "--layer", layer, "--listen", "127.0.0.1:0", "--to", to, *LOOP])
            try:
                tell("GET through layer " + layer, tree.executed(proxy, GET), names_files)
            finally:
                proxy.close()
    finally:
        http.close()


LOOP = ["--loops", "1", "--transport", "epoll"]


def tell(what, files, names_files):
    areas = collections.Counter()
    for path, lines in files.items():
        areas[path.parts[0]] += lines
    print("  %-22s %6d lines in %3d files: %s" % (
        what, sum(files.values()), len(files), ", ".join("%s %d" % pair for pair in sorted(areas.items()))), flush=True)
    if names_files:
        for path, lines in sorted(files.items()):
            print("    %5d %s" % (lines, path))


class Tree:
    def __init__(self, root, folder):
        self.root, self.folder = root, pathlib.Path(folder)
        subprocess.run([str(root / "millrace"), "--version"], check=True, stdout=subprocess.DEVNULL)
        self.sources = {}
        for path in root.glob("*/src/main/java/**/*.java"):
            package = "/".join(path.parts[path.parts.index("java") + 1:-1])
            self.sources[package, path.stem] = path

    def executed(self, server, request):
        """Lines of each file of which one request executes something."""
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            for _ in range(WARM):
                ask(connection, request)
            server.dump()
            ask(connection, request)
            files = [self.sources[name] for name in self.covered(server.dump())]
        return {path.relative_to(self.root): len(path.read_text().splitlines()) for path in files}

    def covered(self, dumped):
        table = self.folder / "table.csv"
        jars = [str(jar) for jar in (self.root / ".millrace/lib").glob("millrace-*.jar")]
        run_cli(self.folder, ["report", str(dumped), *sum((["--classfiles", jar] for jar in jars), []), "--csv", str(table)])
        with open(table, newline="") as rows:
            return {name for name in (self.source(row) for row in csv.DictReader(rows) if int(row["METHOD_COVERED"])) if name}

    def source(self, row):
        name = row["PACKAGE"].replace(".", "/"), row["CLASS"].split(".")[0].split("$")[0]
        return name if name in self.sources else None


class Server:
    def __init__(self, tree, arguments):
        self.tree = tree
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.agent = probe.getsockname()[1]
        agent = next(tree.folder.glob("*agent*.jar"))
        options = "-javaagent:%s=output=tcpserver,address=127.0.0.1,port=%d,includes=io.millrace.*" % (agent, self.agent)
        self.process = subprocess.Popen([str(tree.root / "millrace"), *arguments], stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, MILLRACE_JAVA_OPTS=options, MILLRACE_AOT="off"))
        line = self.process.stdout.readline()
        while line and ":" not in line.rsplit(" ", 1)[-1]:
            line = self.process.stdout.readline()
        self.port = int(line.strip().rsplit(":", 1)[1])

    def dump(self):
        """What was executed since the last time."""
        dumped = self.tree.folder / "executed"
        dumped.unlink(missing_ok=True)
        run_cli(self.tree.folder, ["dump", "--address", "127.0.0.1", "--port", str(self.agent), "--reset", "--destfile",
                                   str(dumped)])
        return dumped

    def close(self):
        self.process.terminate()
        self.process.wait()


def run_cli(folder, arguments):
    java = os.environ.get("MILLRACE_JAVA_HOME") or sorted(glob.glob("/usr/lib/jvm/*25*"))[-1]
    subprocess.run([java + "/bin/java", "-jar", str(next(folder.glob("*cli*.jar"))), *arguments], check=True,
                   stdout=subprocess.DEVNULL)


def ask(connection, request):
    connection.sendall(request)
    received = b""
    while b"\r\n\r\n" not in received or (request == POST and not received.endswith(b"x" * 100)) or (
            request == GET and not received.endswith(b"World!")):
        received += connection.recv(65536)


if __name__ == "__main__":
    main()
