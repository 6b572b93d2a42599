package io.millrace.proxy.upstream;

import io.millrace.Tcp;
import io.millrace.net.Loop;
import io.millrace.net.Stage;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/// Whether a connection can be made, which is closed at once.
///
/// @param loop that of the connection
record TcpProbe(SocketAddress address, Loop loop, Duration timeout, Optional<Stage> stage) implements Probe {
    @Override
    public CompletionStage<Finding> ask() {
        var to = HealthChecks.connect(address, stage).loop(loop).timeout(timeout);
        return Tcp.connect(to, _ -> in -> in.skip(in.remaining())).thenApply(connection -> {
            connection.close();
            return new Finding(true, "connected");
        });
    }
}
