#!/usr/bin/env python3
"""Runs a proxy with --memory SIZE under load in a memory limit of SIZE and 15 %, and tells whether it lives and what it used.

    bench/memory-limit.py IMAGE SECONDS SIZE…
        IMAGE     the folder of a runtime image
        SIZE      as in 96m

The limit is a cgroup (v1 or v2) where this user may make one; elsewhere only the most memory that the process had
(VmHWM) is compared with it. The load is HTTP on 256 connections with a response of 64 KiB, TLS included, and every
second 200 new connections. Linux.
"""
import json, os, re, signal, subprocess, sys, tempfile, time

MORE = 1.15
CONFIGURATION = """
listeners:
  web: {address: "127.0.0.1:0"}
  tls: {address: "127.0.0.2:0", tls: {certificates: [{chain: FOLDER/chain.pem, key: FOLDER/key.pem, fallback: true}]}}
routes: {all: {upstream: backend}}
upstreams: {backend: {endpoints: ["BACKEND"]}}
"""


class Limit:
    """A cgroup of this program's own, if there can be one."""

    def __init__(self, limit_bytes):
        self.path = None
        for parent, file in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            path = "%s/millrace-limit-%d" % (parent, os.getpid())
            try:
                os.mkdir(path)
                self.path = path
                with open(path + "/" + file, "w") as out:
                    out.write(str(limit_bytes))
                return
            except OSError:
                self.remove()

    def enter(self):
        if self.path:
            with open(self.path + "/cgroup.procs", "w") as out:
                out.write(str(os.getpid()))

    def peak(self):
        for name in ("memory.max_usage_in_bytes", "memory.peak"):
            if self.path and os.path.exists(self.path + "/" + name):
                return int(open(self.path + "/" + name).read())
        return 0

    def remove(self):
        if self.path:
            os.rmdir(self.path)
            self.path = None


def main(image, seconds, sizes):
    limited = all([run(image + "/bin/millrace", int(seconds), size) for size in sizes])
    sys.exit(0 if limited else 1)


def run(millrace, seconds, size):
    number, unit = int(size[:-1]), size[-1].lower()
    limit_bytes = int(number * (1 << (30 if unit == "g" else 20)) * MORE)
    limit = Limit(limit_bytes)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                        "-keyout", folder + "/key.pem", "-out", folder + "/chain.pem", "-days", "90"], check=True, stderr=subprocess.DEVNULL)
        backend = subprocess.Popen([millrace, "http", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        at = listening(backend)
        with open(folder + "/proxy.yaml", "w") as file:
            file.write(CONFIGURATION.replace("FOLDER", folder).replace("BACKEND", at))
        proxy = subprocess.Popen([millrace, "--memory", size, "proxy", "--config", folder + "/proxy.yaml"],
                                 stdout=subprocess.PIPE, stderr=open(folder + "/proxy.log", "w"), text=True, preexec_fn=limit.enter)
        try:
            plain, secure = listening(proxy), listening(proxy)
            return measured(millrace, seconds, size, proxy, limit, limit_bytes, plain, secure, folder)
        finally:
            for process in (proxy, backend):
                process.kill()
                process.wait()
            time.sleep(0.2)
            limit.remove()


def measured(millrace, seconds, size, proxy, limit, limit_bytes, plain, secure, folder):
    load = lambda name, *words: subprocess.Popen(
        [millrace, "load", "http", *words, "--warm-up", "1", "--seconds", str(seconds), "--json", folder + "/" + name],
        stdout=subprocess.DEVNULL, stderr=open(folder + "/" + name + ".log", "w"))
    loads = [
        load("tls", "https://%s/large?n=65536" % secure, "--insecure", "--connections", "64"),
        load("new", "https://%s/plaintext" % secure, "--insecure", "--close", "--rate", "200"),
        load("plain", "http://%s/large?n=65536" % plain, "--connections", "192"),
    ]
    for one in loads:
        one.wait()
    told = [result(folder + "/" + name) for name in ("tls", "new", "plain")]
    lives = proxy.poll() is None
    most = int(re.search(r"VmHWM:\s+(\d+)", open("/proc/%d/status" % proxy.pid).read()).group(1)) if lives else 0
    proxy.send_signal(signal.SIGTERM)
    code = proxy.wait()
    where = "a cgroup, which held at most %.0f MiB with the files it read" % (limit.peak() / 2**20) if limit.path else "no limit, only measured"
    # VmHWM has files that the kernel may drop; a cgroup drops them, and kills for the rest.
    fits = lives and code == 0 and (limit.path or most * 1024 <= limit_bytes)
    print("%-5s limit %4.0f MiB: %s, VmHWM %4.0f MiB, exit code %d; %s right responses, %s errors; %s" % (
        size, limit_bytes / 2**20, "ok" if fits else "FAILED", most / 1024, code,
        "+".join(str(one["messages"]) for one in told), "+".join(str(one["errors"]) for one in told), where), flush=True)
    return fits


def result(path):
    """Of a load; one that could not begin has none, and its log says why."""
    if os.path.exists(path):
        return json.load(open(path))["result"]
    print(open(path + ".log").read()[-400:], file=sys.stderr)
    return {"messages": 0, "errors": "all"}


def listening(process):
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        raise SystemExit("it does not serve: " + line)
    return line.split()[-1]


if __name__ == "__main__":
    if len(sys.argv) < 4:
        raise SystemExit("say bench/memory-limit.py IMAGE SECONDS SIZE…")
    main(os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:])
