package io.millrace.http.message;

import io.millrace.bytes.Input;
import io.millrace.loop.TunnelSide;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/// The client's side of a tunnel that a request has opened, in any version: passes bytes in both directions, unread.
final class ClientTunnel implements Handler {
    private final TunnelSide side;
    private final Takeover.Ending ending;

    private ClientTunnel(TunnelSide side, Takeover.Ending ending) {
        this.side = side;
        this.ending = ending;
    }

    /// Joins both ends; on the client's loop.
    static void join(Takeover.Peer peer, Upgraded to) {
        var client = peer.end();
        // Until the other side is there, what it sends has no reader.
        client.pause();
        var upstream = to.end();
        var side = TunnelSide.of(client, upstream.loop());
        client.carry(new ClientTunnel(side, peer.ending()));
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
        side.onClose(cause);
        ending.ended(side.takenBytes(), side.writtenBytes(), cause);
    }
}
