package io.millrace.lab.peer.helidon;

import io.helidon.common.tls.Tls;
import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http2.Http2Config;
import io.helidon.webserver.spi.ProtocolConfig;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.Identity;
import io.millrace.lab.peer.PeerOptions;
import java.util.Optional;

/// Helidon SE: a virtual thread for each connection. `--loops` is the number of carrier threads.
public final class HelidonHttp {
    private static final Header SERVER = HeaderValues.createCached(HeaderNames.SERVER, "Helidon");

    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.runTls(
                arguments,
                (options, isClosing, identity) -> start(options, isClosing, identity, Http1Config.create()));
    }

    /// A server of one protocol.
    static int start(PeerOptions options, boolean isClosing, Optional<Identity> identity, ProtocolConfig protocol)
            throws Exception {
        options.onlyOn("nio").onlyInline();
        // The JDK reads it when the first virtual thread starts.
        System.setProperty("jdk.virtualThreadScheduler.parallelism", Integer.toString(options.loops()));
        // Otherwise it refuses all of Java's serialization, and nobody can ask the JVM for its memory.
        System.setProperty("helidon.serialFilter.missing.action", "ignore");
        byte[] hello = HttpPeer.hello();
        Handler plaintext = (request, response) ->
                response.header(HeaderValues.CONTENT_TYPE_TEXT_PLAIN).send(hello);
        Handler echo = (request, response) -> response.send(request.content().as(byte[].class));
        var builder = WebServer.builder();
        if (identity.isPresent()) {
            var context = identity.get().context();
            builder.tls(Tls.builder().sslContext(context).build());
            // Its channels lose what is written before the handshake is over: the SETTINGS of HTTP/2.
            if (protocol instanceof Http2Config) builder.useNio(false);
        }
        return builder
                .protocolsDiscoverServices(false)
                .addProtocol(protocol)
                .host(options.hostText())
                .port(options.port())
                .backlog(1024)
                .connectionOptions(socket -> socket.tcpNoDelay(true))
                .routing(routing -> routing.get(HttpPeer.PLAINTEXT, answering(plaintext, isClosing))
                        .post(HttpPeer.ECHO, answering(echo, isClosing)))
                .build()
                .start()
                .port();
    }

    private static Handler answering(Handler handler, boolean isClosing) {
        return (request, response) -> {
            response.header(SERVER);
            boolean isLast = isClosing || request.headers().contains(HeaderValues.CONNECTION_CLOSE);
            if (!isLast) {
                handler.handle(request, response);
                return;
            }
            handler.handle(request, response.header(HeaderValues.CONNECTION_CLOSE));
            // Otherwise it says so and stays.
            throw new CloseConnectionException("told to close");
        };
    }
}
