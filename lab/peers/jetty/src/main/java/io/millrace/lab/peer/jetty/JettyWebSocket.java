package io.millrace.lab.peer.jetty;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

/// Jetty's WebSockets, without servlets: a message to all is sent to each session as text.
public final class JettyWebSocket {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, JettyWebSocket::start);
    }

    private static int start(PeerOptions options) throws Exception {
        return JettyHttp.start(
                options.onlyInline(),
                server -> WebSocketUpgradeHandler.from(server, JettyWebSocket::map),
                new HttpConnectionFactory());
    }

    private static void map(ServerWebSocketContainer sockets) {
        Set<Session> all = ConcurrentHashMap.newKeySet();
        sockets.setIdleTimeout(Duration.ZERO);
        sockets.addMapping(HttpPeer.SOCKET_ECHO, (request, response, callback) -> new Echo());
        sockets.addMapping(HttpPeer.SOCKET_CHAT, (request, response, callback) -> new Chat(all));
    }

    /// Public, as all endpoints have to be.
    public static final class Echo extends Session.Listener.AbstractAutoDemanding {
        @Override
        public void onWebSocketText(String text) {
            getSession().sendText(text, Callback.NOOP);
        }
    }

    /// Public, as all endpoints have to be.
    public static final class Chat extends Session.Listener.AbstractAutoDemanding {
        private final Set<Session> all;

        Chat(Set<Session> all) {
            this.all = all;
        }

        @Override
        public void onWebSocketOpen(Session session) {
            super.onWebSocketOpen(session);
            all.add(session);
        }

        @Override
        public void onWebSocketText(String text) {
            for (var session : all) session.sendText(text, Callback.NOOP);
        }

        @Override
        public void onWebSocketClose(int code, String reason, Callback callback) {
            all.remove(getSession());
            callback.succeed();
        }
    }
}
