package io.millrace.lab.peer.vertx;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;

/// Vert.x: its HTTP server in the verticles of the echo peer.
public final class VertxHttp {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, (options, isClosing) -> start(options, isClosing, new HttpServerOptions()));
    }

    static int start(PeerOptions options, boolean isClosing, HttpServerOptions server) throws Exception {
        var date = new HttpDate<CharSequence>(HttpHeaders::createOptimized);
        server.setHost(options.hostText()).setTcpNoDelay(true).setAcceptBacklog(1024);
        return VertxServer.start(
                options, port -> new Answers(new HttpServerOptions(server).setPort(port), isClosing, date));
    }

    private static final class Answers extends VerticleBase {
        private static final CharSequence NAME = HttpHeaders.createOptimized("Vert.x");
        private static final CharSequence TEXT_PLAIN = HttpHeaders.createOptimized("text/plain");

        private final Buffer hello = Buffer.buffer(HttpPeer.hello());
        private final HttpServerOptions server;
        private final boolean isClosing;
        private final HttpDate<CharSequence> date;

        Answers(HttpServerOptions server, boolean isClosing, HttpDate<CharSequence> date) {
            this.server = server;
            this.isClosing = isClosing;
            this.date = date;
        }

        @Override
        public Future<?> start() {
            return vertx.createHttpServer(server).requestHandler(this::answer).listen();
        }

        private void answer(HttpServerRequest request) {
            HttpServerResponse response =
                    request.response().putHeader(HttpHeaders.SERVER, NAME).putHeader(HttpHeaders.DATE, date.now());
            switch (request.path()) {
                case HttpPeer.PLAINTEXT ->
                    end(request, response.putHeader(HttpHeaders.CONTENT_TYPE, TEXT_PLAIN), hello);
                case HttpPeer.ECHO -> request.body().onSuccess(body -> end(request, response, body));
                default -> end(request, response.setStatusCode(404), Buffer.buffer());
            }
        }

        private void end(HttpServerRequest request, HttpServerResponse response, Buffer body) {
            if (!isClosing) {
                response.end(body);
                return;
            }
            // It closes by itself only what the client wants closed.
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE)
                    .end(body)
                    .onComplete(ended -> request.connection().close());
        }
    }
}
