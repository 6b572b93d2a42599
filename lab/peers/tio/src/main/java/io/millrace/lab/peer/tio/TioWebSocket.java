package io.millrace.lab.peer.tio;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import org.tio.core.PacketHandlerMode;
import org.tio.utils.Threads;
import org.tio.websocket.server.WsServerConfig;
import org.tio.websocket.server.WsServerStarter;

/// t-io's WebSockets, inline: a message to all goes to the members of a group.
public final class TioWebSocket {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, TioWebSocket::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio").onlyInline();
        var config = new WsServerConfig(options.port());
        config.setBindIp(options.hostText());
        var starter =
                new WsServerStarter(config, new TioWebSocketHandler(), Threads.getTioExecutor(), (ThreadPoolExecutor)
                        Executors.newFixedThreadPool(options.loops()));
        var server = starter.getTioServerConfig();
        server.setHeartbeatTimeout(0);
        server.setTioServerListener(new TioWebSocketListener());
        server.setPacketHandlerMode(PacketHandlerMode.SINGLE_THREAD);
        starter.start();
        return ((InetSocketAddress)
                        starter.getTioServer().getServerSocketChannel().getLocalAddress())
                .getPort();
    }
}
