package io.millrace.transport;

import io.millrace.os.Linux;

/// A connection that `accept4` returned. Any descriptor-based transport of this process may adopt it.
final class AcceptedDescriptor implements Transport.Accepted {
    final int fd;

    /// The addresses of both sides, as the kernel writes them.
    final byte[] peer;

    final byte[] local;

    private final Linux linux;

    AcceptedDescriptor(Linux linux, int fd, byte[] peer, byte[] local) {
        this.linux = linux;
        this.fd = fd;
        this.peer = peer;
        this.local = local;
    }

    @Override
    public void discard() {
        linux.close(fd);
    }
}
