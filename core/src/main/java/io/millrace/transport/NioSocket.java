package io.millrace.transport;

import java.io.IOException;
import java.nio.channels.NetworkChannel;

/// The socket behind a number of [Nio].
abstract sealed class NioSocket implements Transport.Addresses permits NioConnection, NioListener, NioUnopened {
    int number;

    abstract void receive(boolean on);

    /// The selector found it ready for these operations.
    abstract void ready(int operations, Completions to);

    /// Delivers what no selection reports.
    abstract void deliver(Completions to);

    /// Releases everything; may be called repeatedly.
    abstract void close();

    /// @throws IOException when there is no channel
    abstract NetworkChannel channel() throws IOException;
}
