package io.millrace.transport;

import io.millrace.os.Linux;

/// A connection that `accept4` returned, which any transport of this process that works with descriptors may take
/// over.
final class AcceptedDescriptor implements Transport.Accepted {
    final int fd;

    /// The peer's address, as the kernel writes it.
    final byte[] peer;

    private final Linux linux;

    AcceptedDescriptor(Linux linux, int fd, byte[] peer) {
        this.linux = linux;
        this.fd = fd;
        this.peer = peer;
    }

    @Override
    public void discard() {
        linux.close(fd);
    }
}
