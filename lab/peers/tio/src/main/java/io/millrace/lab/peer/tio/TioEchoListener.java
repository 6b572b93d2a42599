package io.millrace.lab.peer.tio;

import java.io.IOException;
import java.net.StandardSocketOptions;
import org.tio.core.ChannelContext;
import org.tio.core.Tio;
import org.tio.server.DefaultTioServerListener;

/// Sets TCP_NODELAY, which t-io leaves off on the connections it accepts.
final class TioEchoListener extends DefaultTioServerListener {
    @Override
    public void onAfterConnected(ChannelContext context, boolean isConnected, boolean isReconnect) {
        try {
            context.asynchronousSocketChannel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        } catch (IOException gone) {
            Tio.close(context, gone, "gone before it was served");
        }
    }
}
