package io.millrace.lab.peer.undertow;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.websockets.WebSocketProtocolHandshakeHandler;
import io.undertow.websockets.core.AbstractReceiveListener;
import io.undertow.websockets.core.BufferedTextMessage;
import io.undertow.websockets.core.WebSocketChannel;
import io.undertow.websockets.core.WebSockets;
import io.undertow.websockets.extensions.PerMessageDeflateHandshake;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.BiConsumer;
import org.xnio.Options;

/// Undertow's WebSockets, in its I/O thread: a message to all is encoded once, and goes to the peers of its channel.
public final class UndertowWebSocket {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, UndertowWebSocket::start);
    }

    private static int start(PeerOptions options) {
        options.onlyOn("nio").onlyInline();
        var routes = Handlers.path()
                .addExactPath(HttpPeer.SOCKET_ECHO, sockets(UndertowWebSocket::echo))
                .addExactPath(HttpPeer.SOCKET_CHAT, sockets(UndertowWebSocket::chat));
        var server = Undertow.builder()
                .addHttpListener(options.port(), options.hostText())
                .setSocketOption(Options.BACKLOG, 1024)
                .setIoThreads(options.loops())
                .setWorkerThreads(1)
                .setHandler(routes)
                .build();
        server.start();
        return ((InetSocketAddress) server.getListenerInfo().getFirst().getAddress()).getPort();
    }

    private static WebSocketProtocolHandshakeHandler sockets(BiConsumer<WebSocketChannel, String> onText) {
        WebSocketProtocolHandshakeHandler sockets = Handlers.websocket((exchange, channel) -> {
            channel.getReceiveSetter().set(new Receiver(onText));
            channel.resumeReceives();
        });
        return sockets.addExtension(new PerMessageDeflateHandshake());
    }

    private static final class Receiver extends AbstractReceiveListener {
        private final BiConsumer<WebSocketChannel, String> onText;

        Receiver(BiConsumer<WebSocketChannel, String> onText) {
            this.onText = onText;
        }

        @Override
        protected void onFullTextMessage(WebSocketChannel channel, BufferedTextMessage message) {
            onText.accept(channel, message.getData());
        }
    }

    private static void echo(WebSocketChannel channel, String text) {
        WebSockets.sendText(text, channel, null);
    }

    private static void chat(WebSocketChannel channel, String text) {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        for (var peer : channel.getPeerConnections()) WebSockets.sendText(bytes.duplicate(), peer, null);
    }
}
