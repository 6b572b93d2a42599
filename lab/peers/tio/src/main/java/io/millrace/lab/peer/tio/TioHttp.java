package io.millrace.lab.peer.tio;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import org.tio.core.PacketHandlerMode;
import org.tio.http.common.HttpConfig;
import org.tio.http.server.HttpServerStarter;
import org.tio.utils.Threads;

/// t-io's HTTP server: inline and pool are those of the echo peer.
public final class TioHttp {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, TioHttp::start);
    }

    private static int start(PeerOptions options, boolean isClosing) throws IOException {
        options.onlyOn("nio");
        var config = new HttpConfig(options.port(), false);
        config.setBindIp(options.hostText());
        var starter = new HttpServerStarter(
                config,
                new TioHttpHandler(config, isClosing),
                options.isPooled() ? TioEcho.pool(options.poolThreads()) : Threads.getTioExecutor(),
                (ThreadPoolExecutor) Executors.newFixedThreadPool(options.loops()));
        starter.getTioServerConfig().setTioServerListener(new TioHttpListener());
        starter.getTioServerConfig()
                .setPacketHandlerMode(options.isPooled() ? PacketHandlerMode.QUEUE : PacketHandlerMode.SINGLE_THREAD);
        starter.start();
        return ((InetSocketAddress)
                        starter.getTioServer().getServerSocketChannel().getLocalAddress())
                .getPort();
    }
}
