package io.millrace.proxy.upstream;

import io.millrace.Connect;
import io.millrace.Tcp;
import io.millrace.net.Loop;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

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
