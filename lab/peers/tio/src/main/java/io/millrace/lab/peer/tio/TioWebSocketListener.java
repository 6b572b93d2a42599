package io.millrace.lab.peer.tio;

import org.tio.core.ChannelContext;
import org.tio.websocket.server.WsTioServerListener;

/// The listener of its WebSockets, which leaves TCP_NODELAY off as well.
final class TioWebSocketListener extends WsTioServerListener {
    private final TioEchoListener noDelay = new TioEchoListener();

    @Override
    public void onAfterConnected(ChannelContext context, boolean isConnected, boolean isReconnect) throws Exception {
        super.onAfterConnected(context, isConnected, isReconnect);
        noDelay.onAfterConnected(context, isConnected, isReconnect);
    }
}
