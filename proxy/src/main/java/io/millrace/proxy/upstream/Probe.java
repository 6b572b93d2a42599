package io.millrace.proxy.upstream;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.net.Loop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/// Asks one backend how it is. Called on the loop that drives the checks.
interface Probe extends AutoCloseable {
    /// Asks. One that has no answer in time is given up by whoever asked, and has to end by itself at about the
    /// same time.
    ///
    /// @return on any thread what it found, good or bad; an exception is bad, too
    CompletionStage<Finding> ask();

    /// Nobody asks any more.
    @Override
    default void close() {}

    /// What a question has shown.
    ///
    /// @param text for people
    record Finding(boolean isGood, String text) {}

    /// Whether a connection can be made, which is closed at once.
    ///
    /// @param loop that of the connection
    record TcpProbe(SocketAddress address, Loop loop, Duration timeout, Function<SocketAddress, Connect> connect)
            implements Probe {
        @Override
        public CompletionStage<Finding> ask() {
            var to = connect.apply(address).loop(loop).timeout(timeout);
            return Tcp.connect(to, _ -> in -> in.skip(in.remaining())).thenApply(connection -> {
                connection.close();
                return new Finding(true, "connected");
            });
        }
    }
}
