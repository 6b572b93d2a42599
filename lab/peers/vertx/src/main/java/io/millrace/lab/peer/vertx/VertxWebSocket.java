package io.millrace.lab.peer.vertx;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.ServerWebSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Vert.x's WebSockets: a message to all is written to each socket as text.
public final class VertxWebSocket {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, VertxWebSocket::start);
    }

    private static int start(PeerOptions options) throws Exception {
        Set<ServerWebSocket> all = ConcurrentHashMap.newKeySet();
        return VertxServer.start(options.onlyInline(), port -> new Sockets(options, port, all));
    }

    private static final class Sockets extends VerticleBase {
        private final PeerOptions options;
        private final int port;
        private final Set<ServerWebSocket> all;

        Sockets(PeerOptions options, int port, Set<ServerWebSocket> all) {
            this.options = options;
            this.port = port;
            this.all = all;
        }

        @Override
        public Future<?> start() {
            var server = new HttpServerOptions()
                    .setHost(options.hostText())
                    .setPort(port)
                    .setAcceptBacklog(1024)
                    // Otherwise it does not compress for a client that wants each message by itself.
                    .setWebSocketAllowServerNoContext(true)
                    .setWebSocketPreferredClientNoContext(true)
                    .setTcpNoDelay(true);
            return vertx.createHttpServer(server).webSocketHandler(this::open).listen();
        }

        private void open(ServerWebSocket socket) {
            if (socket.path().equals(HttpPeer.SOCKET_CHAT)) chat(socket);
            else socket.textMessageHandler(socket::writeTextMessage);
        }

        private void chat(ServerWebSocket socket) {
            all.add(socket);
            socket.closeHandler(_ -> all.remove(socket));
            socket.textMessageHandler(text -> {
                for (var each : all) each.writeTextMessage(text);
            });
        }
    }
}
