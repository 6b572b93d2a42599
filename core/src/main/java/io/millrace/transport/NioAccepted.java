package io.millrace.transport;

import java.nio.channels.SocketChannel;

/// A connection that a listener of [Nio] accepted; any other [Nio] may adopt it.
record NioAccepted(SocketChannel channel) implements Transport.Accepted {
    @Override
    public void discard() {
        NioFailures.closeQuietly(channel);
    }
}
