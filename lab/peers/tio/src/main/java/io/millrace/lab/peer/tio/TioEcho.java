package io.millrace.lab.peer.tio;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import org.tio.core.PacketHandlerMode;
import org.tio.server.TioServer;
import org.tio.server.TioServerConfig;
import org.tio.utils.Threads;
import org.tio.utils.thread.pool.SynThreadPoolExecutor;

/// t-io: inline is its mode `SINGLE_THREAD`, the pool its mode `QUEUE`. Sending is always done by its other pool.
public final class TioEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, TioEcho::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        var config = new TioServerConfig(
                "echo",
                new TioEchoHandler(),
                new TioEchoListener(),
                options.isPooled() ? pool(options.poolThreads()) : Threads.getTioExecutor(),
                (ThreadPoolExecutor) Executors.newFixedThreadPool(options.loops()));
        config.setPacketHandlerMode(options.isPooled() ? PacketHandlerMode.QUEUE : PacketHandlerMode.SINGLE_THREAD);
        // An idle connection is no dead one.
        config.setHeartbeatTimeout(0);
        var server = new TioServer(config);
        server.start(options.hostText(), options.port());
        return ((InetSocketAddress) server.getServerSocketChannel().getLocalAddress()).getPort();
    }

    static SynThreadPoolExecutor pool(int threads) {
        return new SynThreadPoolExecutor(
                threads, threads, 0, new LinkedBlockingQueue<>(), Executors.defaultThreadFactory(), "handlers");
    }
}
