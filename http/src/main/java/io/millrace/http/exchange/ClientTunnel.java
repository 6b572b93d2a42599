package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.message.Upgraded;
import io.millrace.loop.TunnelEnd;
import io.millrace.loop.TunnelSide;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// The client's side of a tunnel that a request has opened, in any version: passes bytes in both directions, unread.
public final class ClientTunnel implements Handler {
    /// The exchange of the request that began it.
    private final ServerExchange exchange;

    private final TunnelSide side;
    private final Runnable closed;

    private ClientTunnel(ServerExchange exchange, TunnelSide side, Runnable closed) {
        this.exchange = exchange;
        this.side = side;
        this.closed = closed;
    }

    /// Takes over both ends; on the client's loop.
    ///
    /// @param closed run when the client's end has closed
    public static void join(TunnelEnd client, ServerExchange exchange, Upgraded to, Runnable closed) {
        // Until the other side is there, what it sends has no reader.
        client.pause();
        var upstream = to.end();
        var side = TunnelSide.of(client, upstream.loop());
        client.carry(new ClientTunnel(exchange, side, closed));
        try {
            upstream.loop().execute(() -> {
                upstream.carry(side.connected(upstream, to.witness()));
                upstream.resume();
            });
        } catch (RejectedExecutionException _) {
            // Its loop is gone, and it with it.
            client.abort();
        }
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
        closed.run();
        side.onClose(cause);
        exchange.tunnelEnded(side.takenBytes(), side.writtenBytes(), cause);
    }
}
