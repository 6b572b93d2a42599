package io.millrace.lab.peer.jetty;

import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Identity;
import io.millrace.lab.peer.PeerOptions;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/// Jetty, its core without servlets: inline is a handler that says it does not block, which the selector's thread then
/// calls; with the pool it says that it may.
public final class JettyHttp {
    private static final int ACCEPTORS = 1;
    /// A thread that stands by to take over a selector while the other is in a handler.
    private static final int RESERVED = 1;

    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.runTls(arguments, JettyHttp::start);
    }

    private static int start(PeerOptions options, boolean isClosing, Optional<Identity> identity) throws Exception {
        ConnectionFactory http = new HttpConnectionFactory();
        var factories = identity.isEmpty()
                ? new ConnectionFactory[] {http}
                : new ConnectionFactory[] {new SslConnectionFactory(tls(identity.get()), http.getProtocol()), http};
        return start(options, isClosing, factories);
    }

    /// A server of the protocols of these factories.
    static int start(PeerOptions options, boolean isClosing, ConnectionFactory... factories) throws Exception {
        return start(options, _ -> new Answers(options.isPooled(), isClosing), factories);
    }

    /// A server with another handler.
    static int start(PeerOptions options, Function<Server, Handler> handler, ConnectionFactory... factories)
            throws Exception {
        options.onlyOn("nio");
        var server = new Server(options.isPooled() ? pool(options) : new QueuedThreadPool());
        var connector = new ServerConnector(server, ACCEPTORS, options.loops(), factories);
        connector.setHost(options.hostText());
        connector.setPort(options.port());
        connector.setAcceptQueueSize(1024);
        server.addConnector(connector);
        server.setHandler(handler.apply(server));
        server.start();
        return connector.getLocalPort();
    }

    static SslContextFactory.Server tls(Identity identity) throws Exception {
        var tls = new SslContextFactory.Server();
        tls.setSslContext(identity.context());
        return tls;
    }

    /// Acceptors and selectors live in the same pool as the handlers.
    private static QueuedThreadPool pool(PeerOptions options) {
        int threads = ACCEPTORS + options.loops() + RESERVED + options.poolThreads();
        return new QueuedThreadPool(threads, threads);
    }

    private static final class Answers extends Handler.Abstract {
        private static final ByteBuffer HELLO =
                ByteBuffer.wrap(HttpPeer.hello()).asReadOnlyBuffer();

        private final boolean isClosing;

        Answers(boolean mayBlock, boolean isClosing) {
            super(mayBlock ? InvocationType.BLOCKING : InvocationType.NON_BLOCKING);
            this.isClosing = isClosing;
        }

        @Override
        public boolean handle(Request request, Response response, Callback callback) {
            if (isClosing) {
                response.getHeaders().put(HttpHeader.CONNECTION, "close");
            }
            switch (Request.getPathInContext(request)) {
                case HttpPeer.PLAINTEXT -> plaintext(response, callback);
                case HttpPeer.ECHO -> echo(request, response, callback);
                default -> Response.writeError(request, response, callback, HttpStatus.NOT_FOUND_404);
            }
            return true;
        }

        private static void plaintext(Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/plain");
            response.write(true, HELLO.duplicate(), callback);
        }

        private static void echo(Request request, Response response, Callback callback) {
            response.getHeaders().put(HttpHeader.CONTENT_LENGTH, request.getLength());
            Content.copy(request, response, callback);
        }
    }
}
