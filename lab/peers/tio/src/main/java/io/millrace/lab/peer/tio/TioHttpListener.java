package io.millrace.lab.peer.tio;

import org.tio.core.ChannelContext;
import org.tio.http.server.HttpTioServerListener;

/// The listener of its HTTP server, which leaves TCP_NODELAY off as well.
final class TioHttpListener extends HttpTioServerListener {
    private final TioEchoListener noDelay = new TioEchoListener();

    @Override
    public void onAfterConnected(ChannelContext context, boolean isConnected, boolean isReconnect) {
        noDelay.onAfterConnected(context, isConnected, isReconnect);
    }
}
