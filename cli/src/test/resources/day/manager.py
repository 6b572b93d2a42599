"""The service manager of a day of operation: holds listening sockets, starts the service with them, and hears of its
processes' ends, also of those that another one of them has started.

usage: manager.py PORT,PORT,… COMMAND …

Each line of the standard input starts the command; at the input's end all of its processes are killed. Says
"started PID" and "ended PID CODE"; the command's own output goes to the standard error.
"""
import ctypes
import fcntl
import os
import signal
import socket
import sys

PR_SET_CHILD_SUBREAPER = 36
BACKLOG = 4096
# Beyond those that the service gets from 3 on.
OUT_OF_THE_WAY = 100


def main():
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        sys.exit("cannot become the parent of orphans")
    signal.signal(signal.SIGCHLD, lambda *_: reap(os.WNOHANG))
    sockets = [listening(int(port)) for port in sys.argv[1].split(",")]
    while sys.stdin.buffer.raw.readline():
        say(f"started {start(sockets, sys.argv[2:])}")
    end_all()


def listening(port):
    with socket.create_server(("127.0.0.1", port), backlog=BACKLOG) as server:
        return fcntl.fcntl(server, fcntl.F_DUPFD_CLOEXEC, OUT_OF_THE_WAY)


def start(sockets, command):
    pid = os.fork()
    if pid == 0:
        for index, fd in enumerate(sockets):
            os.dup2(fd, 3 + index)
        os.dup2(2, 1)
        os.environ.update(LISTEN_FDS=str(len(sockets)), LISTEN_PID=str(os.getpid()))
        os.execvp(command[0], command)
    return pid


def reap(flags):
    """Waits for children; False when there are none."""
    try:
        while True:
            pid, status = os.waitpid(-1, flags)
            if pid == 0:
                return True
            say(f"ended {pid} {os.waitstatus_to_exitcode(status)}")
    except ChildProcessError:
        return False


def end_all():
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    while reap(os.WNOHANG):
        for pid in children():
            os.kill(pid, signal.SIGKILL)


def children():
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(pid) for pid in file.read().split()]


def say(line):
    os.write(1, (line + "\n").encode())


main()
