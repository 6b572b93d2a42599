package io.millrace.transport;

import io.millrace.os.Linux;

/// A connection that `accept4` returned, which any transport of this process that works with descriptors may take
/// over.
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
