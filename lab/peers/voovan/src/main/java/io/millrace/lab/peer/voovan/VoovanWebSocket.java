package io.millrace.lab.peer.voovan;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.voovan.http.server.HttpDispatcher;
import org.voovan.http.server.WebServerHandler;
import org.voovan.http.server.WebSocketDispatcher;
import org.voovan.http.websocket.WebSocketRouter;
import org.voovan.http.websocket.WebSocketSession;
import org.voovan.http.websocket.exception.WebSocketFilterException;
import org.voovan.http.websocket.filter.StringFilter;
import org.voovan.network.exception.SendMessageException;

/// Voovan's WebSockets, on the server of [VoovanHttp]: a message to all is sent to each session.
public final class VoovanWebSocket {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, VoovanWebSocket::start);
    }

    private static int start(PeerOptions options) throws IOException {
        return VoovanHttp.start(options, (config, sessions) -> {
            var sockets = new WebSocketDispatcher(config, sessions);
            sockets.addRouteHandler(HttpPeer.SOCKET_ECHO, new Echo().addFilterChain(new StringFilter()));
            sockets.addRouteHandler(HttpPeer.SOCKET_CHAT, new Chat().addFilterChain(new StringFilter()));
            return new WebServerHandler(config, new HttpDispatcher(config, sessions), sockets);
        });
    }

    private static class Echo extends WebSocketRouter {
        @Override
        public Object onOpen(WebSocketSession session) {
            return null;
        }

        @Override
        public Object onRecived(WebSocketSession session, Object message) {
            return message;
        }

        @Override
        public void onSent(WebSocketSession session, Object message) {}

        @Override
        public void onClose(WebSocketSession session) {}
    }

    private static final class Chat extends Echo {
        private final Set<WebSocketSession> all = ConcurrentHashMap.newKeySet();

        @Override
        public Object onOpen(WebSocketSession session) {
            all.add(session);
            return null;
        }

        @Override
        public Object onRecived(WebSocketSession session, Object message) {
            for (var each : all) send(each, message);
            return null;
        }

        private void send(WebSocketSession to, Object message) {
            try {
                to.send(message);
            } catch (SendMessageException | WebSocketFilterException failed) {
                all.remove(to);
            }
        }

        @Override
        public void onClose(WebSocketSession session) {
            all.remove(session);
        }
    }
}
