package io.millrace.lab.peer.voovan;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.function.BiFunction;
import org.voovan.http.message.HttpStatic;
import org.voovan.http.server.HttpDispatcher;
import org.voovan.http.server.HttpRouter;
import org.voovan.http.server.SessionManager;
import org.voovan.http.server.WebServerFilter;
import org.voovan.http.server.WebServerHandler;
import org.voovan.http.server.WebSocketDispatcher;
import org.voovan.http.server.context.WebContext;
import org.voovan.http.server.context.WebServerConfig;
import org.voovan.network.SocketContext;
import org.voovan.network.messagesplitter.HttpMessageSplitter;
import org.voovan.network.tcp.TcpServerSocket;
import org.voovan.tools.log.Logger;

/// Voovan's web server, put together from its parts: whole it writes files into the working directory, and has 8 loops
/// at least.
public final class VoovanHttp {
    private static final byte[] HELLO = HttpPeer.hello();

    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, VoovanHttp::start);
    }

    private static int start(PeerOptions options, boolean isClosing) throws IOException {
        return start(options, (config, sessions) -> {
            var routes = new HttpDispatcher(config, sessions);
            routes.addRouter("GET", HttpPeer.PLAINTEXT, answering(plaintext(), isClosing));
            routes.addRouter("POST", HttpPeer.ECHO, answering(echo(), isClosing));
            return new WebServerHandler(config, routes, new WebSocketDispatcher(config, sessions));
        });
    }

    /// A server with what is made of its configuration and its sessions.
    static int start(PeerOptions options, BiFunction<WebServerConfig, SessionManager, WebServerHandler> handler)
            throws IOException {
        options.onlyOn("nio").onlyInline();
        // Its log is a file in the working directory, too.
        Logger.setEnable(false);
        WebServerConfig config = WebContext.buildWebServerConfig();
        config.setGzip(false);
        var sessions = SessionManager.newInstance(config);
        var server = new TcpServerSocket(
                options.hostText(), options.port(), config.getReadTimeout() * 1000, config.getSendTimeout() * 1000, 0);
        server.handler(handler.apply(config, sessions));
        server.filterChain().add(new WebServerFilter());
        server.messageSplitter(new HttpMessageSplitter());
        server.setIoEventRunnerGroup(SocketContext.createEventRunnerGroup("http", options.loops(), false));
        server.syncStart();
        return ((InetSocketAddress) server.socketChannel().getLocalAddress()).getPort();
    }

    private static HttpRouter plaintext() {
        return (request, response) -> {
            response.header().put(HttpStatic.CONTENT_TYPE_STRING, "text/plain");
            response.write(HELLO);
        };
    }

    private static HttpRouter echo() {
        return (request, response) -> response.write(request.body().getBodyBytes());
    }

    private static HttpRouter answering(HttpRouter router, boolean isClosing) {
        if (!isClosing) {
            return router;
        }
        return (request, response) -> {
            response.header().put(HttpStatic.CONNECTION_STRING, "close");
            // The field alone is but a field.
            WebServerHandler.getAttachment(response.getSocketSession()).setKeepAlive(false);
            router.process(request, response);
        };
    }
}
