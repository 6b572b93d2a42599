"""Runs the commands of documents as a user of the image does who copies them: each line of each block marked `sh`."""
import os, re, signal, socket, ssl, subprocess, time
from trial import PATH, PATIENCE, call

# Beginnings of lines that nothing here runs, and why.
NOT_RUN = {
    "./millrace test": "takes a clone",
    "./millrace mvn": "takes a clone",
    "make ": "takes a clone",
    "./millrace lab compare ": "takes two results of a lab",
    "systemctl ": "takes systemd: make try-deb plays the service manager",
    "journalctl ": "takes systemd",
    "podman ": "takes podman: make try-oci runs the image by what is here",
    "apt install ./millrace_NEW.deb": "takes a second version: make try-deb upgrades",
}
for workload in ("executor", "pingpong", "idle", "close", "plaintext", "tls", "proxy"):
    NOT_RUN["./millrace lab " + workload] = "takes a clone, whose sources it builds the peers from"

# The server that a command speaks with.
SERVERS = {
    "./millrace load tcp ": "./millrace echo --listen 127.0.0.1:7007",
    "./millrace load http http://": "./millrace http --listen 127.0.0.1:8080",
    "./millrace load http https://": "./millrace http --tls-listen 127.0.0.1:8443 --tls-self-signed",
    "./millrace health ": "./millrace http --listen 127.0.0.1:8080",
    "curl ": "./millrace proxy --config admin.yaml",
}

# What a command prints, as the documents show or say it.
SHAPES = {
    "./millrace load ": r"(?m)^summary +[\d,]+ (messages|requests)/s .* p99 ",
    "./millrace load http ": r"(?m)^ +status  2xx [\d,]+$",
    "./millrace lab list": r"(?s)pingpong.*plaintext.*netty",
    "./millrace doctor": r"(?s)kernel.* epoll +works.*processor .*AES.*limits",
    "./millrace proxy --config proxy.yaml --check": r"^proxy\.yaml is fine",
    "./millrace proxy --hash-password": r"^pbkdf2-sha256\$\S+$",
    "./millrace demo": r"(?s)^backend one .*proxy, TLS .*admin page .* token is .*summary .*\d right responses",
    "curl -s http://127.0.0.1:9000/api/journal": r'^\[(\{"since":\d+,"time":\d+,"kind":"\w+","trouble":\w+,\s*"what":.*"who":".*"times":\d+\})?\]$',
}
SERVING = r"^(\w+=('[^']*'|\S+) )*(\S*/)?millrace (--memory \S+ )?(echo|http|proxy|demo)\b(?!.*--(check|convert|schema|hash-password|seconds)\b)"

VARIABLES = {"PATH": PATH, "HOME": "/root", "TERM": "dumb", "ADMIN_TOKEN": "sixteen-characters", "STICKY_SECRET": "sixteen-characters"}
CONFIGURATION = 'listeners: {web: {address: ":8080"}}\nroutes: {all: {respond: {status: 200}}}\n'
ADMIN = """listeners: {web: {address: ":8081"}}
routes: {all: {upstream: api}}
upstreams: {api: {endpoints: ["10.0.0.1:8080", "10.0.0.2:8080"]}}
admin: {address: 127.0.0.1:9000, token: "${ADMIN_TOKEN}"}
"""


class Wrong(Exception):
    pass


class Document:
    """One of them, with a fresh folder."""

    def __init__(self, root, path, replaced):
        self.root, self.path, self.replaced = root, path, replaced
        self.at = "/root/" + os.path.basename(path)
        self.run, self.skipped, self.failed, self.running = 0, [], [], []
        self.folder = root + self.at
        self.lay_out()

    def try_all(self):
        with open(self.path) as file:
            blocks = re.findall(r"(?ms)^```(sh|yaml)\n(.*?)^```", file.read())
        for language, block in blocks:
            if language == "yaml":
                self.save(block)
                continue
            for line in block.splitlines():
                line = re.sub(r"\s+#.*", "", line).strip()
                if line:
                    self.try_one(line)
        self.end_others()

    def lay_out(self):
        """What the documents take for the user's own."""
        for folder in ("public", "assets", "dist/target"):
            os.makedirs(self.folder + "/" + folder)
        self.write("public/index.html", "<p>ours\n")
        self.write("public/missing.html", "<p>There is no such page.\n")
        self.write("proxy.yaml", CONFIGURATION)
        self.write("old.yaml", CONFIGURATION)
        self.write("admin.yaml", ADMIN)
        call("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
             "-keyout", self.folder + "/key.pem", "-out", self.folder + "/fullchain.pem", stderr=subprocess.DEVNULL)

    def write(self, name, text):
        with open(self.folder + "/" + name, "w") as file:
            file.write(text)

    def save(self, block):
        """A whole configuration is the user's proxy.yaml from there on; a piece is added to it."""
        with open(self.folder + "/proxy.yaml") as file:
            before = file.read()
        if re.search(r"(?m)^listeners:", block) and re.search(r"(?m)^routes:", block):
            self.write("proxy.yaml", block)
        elif not any(re.search("(?m)^" + key, before) for key in re.findall(r"(?m)^[\w-]+:", block)):
            self.write("proxy.yaml", before + block)

    def try_one(self, line):
        reason = next((why for beginning, why in NOT_RUN.items() if line.startswith(beginning)), None)
        if reason:
            self.skipped.append((line, reason))
            return
        self.run += 1
        began = time.monotonic()
        try:
            self.do(line)
        except Wrong as e:
            self.failed.append((line, str(e)))
            print("try: FAILED: %s: %s: %s" % (os.path.basename(self.path), line, e), flush=True)
        else:
            print("try: ok: %5.1f s  %s" % (time.monotonic() - began, line), flush=True)

    def do(self, line):
        needed = next((server for beginning, server in SERVERS.items() if line.startswith(beginning)), None)
        server = self.serve(needed) if needed else None
        try:
            if re.search(r"&$", line):
                self.running.append(self.serve(line[:-1].strip()))
            elif re.match(SERVING, line):
                started = self.serve(line)
                self.ask(started)
                self.end(started)
            else:
                self.to_its_end(line)
        finally:
            if server:
                self.end(server)

    def to_its_end(self, line):
        done = subprocess.run(self.command(shorter(line)), env=VARIABLES, input="a-long-password\n", text=True, timeout=PATIENCE,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # On a busy machine a load says that its figures are worth nothing.
        if done.returncode and not (done.returncode == 1 and re.search("(?m)^invalid ", done.stdout)):
            raise Wrong("exit code %d: %s" % (done.returncode, done.stdout.strip()[-400:]))
        self.compare(line, done.stdout)

    def compare(self, line, said):
        for beginning, shape in SHAPES.items():
            if line.startswith(beginning) and not re.search(shape, said.strip()):
                raise Wrong("it says %r" % said[-400:])

    def command(self, line):
        for old, new in self.replaced.items():
            line = line.replace(old, new)
        return ["chroot", self.root, "bash", "-c", "cd %s && %s" % (self.at, line)]

    def serve(self, line):
        """Started, until it says where it listens."""
        out = open(self.folder + "/.out", "w+")
        process = subprocess.Popen(self.command(line), env=VARIABLES, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        process.line, process.out = line, out
        wanted = r"^ +\d+ s " if " demo" in line else r"^listening on "
        until = time.monotonic() + PATIENCE
        while not re.search("(?m)" + wanted, said(process)):
            if process.poll() is not None or time.monotonic() > until:
                raise Wrong("it does not serve: " + said(process)[-400:])
            time.sleep(0.05)
        return process

    def ask(self, process):
        """As a client of each address."""
        for address in re.findall(r"(?m)^listening on (\S+)$", said(process)):
            if address.startswith("unix:"):
                echoes(socket.AF_UNIX, self.root + address[5:])
                continue
            port = int(address.rpartition(":")[2])
            if " echo" in process.line:
                echoes(socket.AF_INET, ("127.0.0.1", port))
                continue
            status = answer(port, is_tls=port in (443, 8443))
            if status >= 500 or status == 400:
                raise Wrong("port %d answers %d" % (port, status))

    def end(self, process):
        """By Ctrl-C."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGINT)
        code = process.wait(PATIENCE)
        self.compare(process.line, said(process))
        process.out.close()
        if code != 0:
            raise Wrong("%s ends with %d" % (process.line, code))

    def end_others(self):
        for process in self.running:
            try:
                self.end(process)
            except Wrong as e:
                self.failed.append((process.line, str(e)))


def shorter(line):
    """A load of two seconds in place of ten or thirty."""
    line = re.sub(r"--seconds \d+", "--seconds 2", re.sub(r"(--stages \S+)", lambda stages: re.sub(r":\d+", ":1", stages.group()), line))
    return line + " --seconds 2" if line.startswith("./millrace load") and not re.search("--(seconds|stages)", line) else line


def said(process):
    with open(process.out.name) as file:
        return file.read()


def echoes(family, address):
    with socket.socket(family) as client:
        client.settimeout(PATIENCE)
        client.connect(address)
        client.sendall(b"hello")
        client.shutdown(socket.SHUT_WR)
        back = b"".join(iter(lambda: client.recv(64), b""))
    if back != b"hello":
        raise Wrong("it echoes %r" % back)


def answer(port, host="127.0.0.1", is_tls=False):
    """The status of a GET."""
    client = socket.create_connection((host, port), PATIENCE)
    if is_tls:
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client = context.wrap_socket(client, server_hostname="localhost")
    with client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head = client.recv(4096)
    if not head.startswith(b"HTTP/1.1 "):
        raise Wrong("port %d answers %r" % (port, head[:40]))
    return int(head[9:12])


def stale(documents):
    """What the documents no longer have."""
    lines = [line for one in documents for line, _ in one.skipped]
    return [beginning for beginning in NOT_RUN if not any(line.startswith(beginning) for line in lines)]


def table(documents):
    print("\n%-24s %8s %8s %8s" % ("document", "run", "skipped", "failed"))
    for one in documents:
        print("%-24s %8d %8d %8d" % (os.path.basename(one.path), one.run, len(one.skipped), len(one.failed)))
    print("\nskipped:")
    for one in documents:
        for line, reason in one.skipped:
            print("  %s\n      %s" % (line, reason))
    for one in documents:
        for line, why in one.failed:
            print("FAILED %s: %s\n      %s" % (os.path.basename(one.path), line, why))
    for beginning in stale(documents):
        print("FAILED no document has a command like %s: leave it out of what is not run" % beginning)
