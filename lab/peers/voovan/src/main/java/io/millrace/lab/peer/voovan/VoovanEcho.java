package io.millrace.lab.peer.voovan;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.voovan.network.IoHandler;
import org.voovan.network.SocketContext;
import org.voovan.network.tcp.TcpServerSocket;

/// Voovan: it has no pool for handlers, so the pool here is one that its handler hands messages to.
public final class VoovanEcho {
    private static final int TIMEOUT_MILLIS = 60_000;

    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, VoovanEcho::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        var server = new TcpServerSocket(options.hostText(), options.port(), TIMEOUT_MILLIS, TIMEOUT_MILLIS, 0);
        ExecutorService pool = options.isPooled() ? Executors.newFixedThreadPool(options.poolThreads()) : null;
        IoHandler handler = pool == null ? new VoovanEchoHandler() : new VoovanPooledEchoHandler(pool);
        server.handler(handler);
        server.setIoEventRunnerGroup(SocketContext.createEventRunnerGroup("echo", options.loops(), false));
        server.syncStart();
        return ((InetSocketAddress) server.socketChannel().getLocalAddress()).getPort();
    }
}
