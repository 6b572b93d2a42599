"""What the trials of a package, of an image for containers and of a runtime image share."""
import os, shutil, socket, subprocess, time

PATIENCE = 90
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def check(what, is_true):
    if not is_true:
        raise SystemExit("try: FAILED: " + what)
    print("try: ok: " + what, flush=True)


def wait(what, condition):
    until = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > until:
            raise SystemExit("try: FAILED: " + what)
        time.sleep(0.05)


def call(*command, **more):
    return subprocess.run(command, check=True, text=True, **more)


def dpkg(root, *arguments):
    call("chroot", root, "env", "DEBIAN_FRONTEND=noninteractive", "PATH=" + PATH, "dpkg", *arguments)


def debian(work, packages, tar=None):
    """A bare Debian system with these packages, of the release that runs here: an image is for the C library of that."""
    root = work + "/root"
    os.makedirs(root)
    if tar is None:
        tar = work + "/root.tar"
        call("mmdebstrap", "--quiet", "--variant=minbase", "--include=" + packages, release(), tar)
    call("tar", "-xf", tar, "-C", root)
    return root


def release():
    with open("/etc/os-release") as file:
        told = dict(line.strip().replace('"', "").split("=", 1) for line in file if "=" in line)
    return told.get("VERSION_CODENAME", "stable") if told.get("ID") == "debian" else "stable"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
