package io.millrace.lab.peer.vertx;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;

/// Vert.x: a verticle per loop; with a pool as many worker verticles as the pool has threads.
public final class VertxEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, VertxEcho::start);
    }

    private static int start(PeerOptions options) throws Exception {
        return VertxServer.start(options, port -> new Echo(options.hostText(), port));
    }

    private static final class Echo extends VerticleBase {
        private final String host;
        private final int port;

        Echo(String host, int port) {
            this.host = host;
            this.port = port;
        }

        @Override
        public Future<?> start() {
            return vertx.createNetServer(
                            new NetServerOptions().setTcpNoDelay(true).setAcceptBacklog(1024))
                    .connectHandler(Echo::echo)
                    .listen(port, host);
        }

        private static void echo(NetSocket socket) {
            socket.handler(message -> {
                socket.write(message);
                if (socket.writeQueueFull()) {
                    socket.pause();
                    socket.drainHandler(drained -> socket.resume());
                }
            });
        }
    }
}
