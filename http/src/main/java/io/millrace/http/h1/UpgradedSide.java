package io.millrace.http.h1;

import io.millrace.bytes.Input;
import io.millrace.http.exchange.ServerExchange;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Greeting;
import io.millrace.loop.TcpConnection;
import io.millrace.loop.TunnelSide;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// The client's side of a connection that has changed its protocol: passes bytes in both directions, unread.
final class UpgradedSide implements Handler {
    private final HttpServing serving;
    private final TcpConnection connection;

    /// The exchange of the request that began it.
    private final ServerExchange exchange;

    private final TunnelSide side;

    private UpgradedSide(HttpServing serving, TcpConnection connection, ServerExchange exchange, EventLoop other) {
        this.serving = serving;
        this.connection = connection;
        this.exchange = exchange;
        this.side = TunnelSide.of(connection, other);
    }

    /// Takes over both connections, when no thread borrows the client's; on the client's loop.
    static void join(HttpServing serving, TcpConnection client, ServerExchange exchange, Upgraded to) {
        if (!client.isOpen()) return;
        if (client.isLent()) {
            client.loop().execute(() -> join(serving, client, exchange, to));
            return;
        }
        // Until the other side is there, what it sends has no reader.
        client.pause();
        var upstream = to.connection();
        var side = new UpgradedSide(serving, client, exchange, EventLoop.of(upstream.loop()));
        Greeting.callback(_ -> side).accept(client);
        upstream.loop().execute(() -> {
            Greeting.callback(taken -> side.side.connected(taken, to.witness())).accept(upstream);
            upstream.resume();
        });
    }

    @Override
    public void onInput(Input input) throws IOException {
        side.onInput(input);
    }

    @Override
    public void onWritable() {
        side.onWritable();
    }

    @Override
    public void onEnd(Connection ended) {
        side.onEnd(ended);
    }

    @Override
    public void onDrain(Connection draining) {
        side.onDrain(draining);
    }

    @Override
    public void onClose(@Nullable IOException cause) {
        serving.closed(connection);
        side.onClose(cause);
        exchange.tunnelEnded(side.takenBytes(), side.writtenBytes(), cause);
    }
}
