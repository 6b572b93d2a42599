package io.millrace.transport;

import java.io.IOException;
import java.nio.channels.NetworkChannel;

/// What a number of [Nio] stands for.
abstract sealed class NioSocket implements Transport.Addresses permits NioConnection, NioListener, NioUnopened {
    int number;

    abstract void receive(boolean on);

    /// The selector found it ready for these operations.
    abstract void ready(int operations, Completions to);

    /// Delivers what no selection brings.
    abstract void deliver(Completions to);

    /// Lets go of everything; called any number of times.
    abstract void close();

    /// @throws IOException when there is none
    abstract NetworkChannel channel() throws IOException;
}
