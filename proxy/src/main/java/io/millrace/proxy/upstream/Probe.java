package io.millrace.proxy.upstream;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.net.Loop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/// Checks one backend once. Called on the loop of the checks.
interface Probe extends AutoCloseable {
    /// Begins a check. The caller abandons it after the timeout, at about which it has to end by itself.
    ///
    /// @return completes on any thread with the finding, good or bad; an exception is bad
    CompletionStage<Finding> ask();

    /// There are no more checks.
    @Override
    default void close() {}

    /// The result of a check.
    ///
    /// @param text a description
    record Finding(boolean isGood, String text) {}

    /// Checks that a connection can be made, and closes it at once.
    ///
    /// @param loop the loop of the connection
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
