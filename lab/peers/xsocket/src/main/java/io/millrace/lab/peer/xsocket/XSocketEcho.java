package io.millrace.lab.peer.xsocket;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.util.concurrent.Executors;
import org.xsocket.connection.IConnection.FlushMode;
import org.xsocket.connection.IHandler;
import org.xsocket.connection.Server;

/// xSocket: the pool is the server's worker pool, which it uses unless a handler says `NONTHREADED`.
public final class XSocketEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, XSocketEcho::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        System.setProperty("org.xsocket.connection.server.dispatcher.initialCount", "" + options.loops());
        IHandler handler = options.isPooled() ? new XSocketEchoHandler() : new XSocketInlineEchoHandler();
        var server = new Server(options.hostText(), options.port(), handler);
        if (options.isPooled()) {
            server.setWorkerpool(Executors.newFixedThreadPool(options.poolThreads()));
        }
        // The default waits in the write, on the loop for itself and in the pool for clients that have gone.
        server.setFlushmode(FlushMode.ASYNC);
        server.start();
        return server.getLocalPort();
    }
}
