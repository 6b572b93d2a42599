package io.millrace.lab.peer.microhttp;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.microhttp.EventLoop;
import org.microhttp.Handler;
import org.microhttp.Header;
import org.microhttp.OptionsBuilder;
import org.microhttp.Request;
import org.microhttp.Response;

/// microhttp: inline answers in the loop, the pool is one of the JDK's, which its callback allows for.
public final class MicroHttp {
    private static final Header SERVER = new Header("Server", "microhttp");
    private static final Header TEXT_PLAIN = new Header("Content-Type", "text/plain");
    private static final byte[] HELLO = HttpPeer.hello();

    private final HttpDate<Header> date = new HttpDate<>(value -> new Header("Date", value));

    private MicroHttp() {}

    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, new MicroHttp()::start);
    }

    private int start(PeerOptions options, boolean isClosing) throws IOException {
        options.onlyOn("nio");
        if (isClosing) {
            throw new IllegalArgumentException(
                    "--close is not possible here: it closes no connection of HTTP/1.1 that its client keeps open");
        }
        var server = new EventLoop(
                OptionsBuilder.newBuilder()
                        .withHost(options.hostText())
                        .withPort(options.port())
                        .withAcceptLength(1024)
                        .withConcurrency(options.loops())
                        .build(),
                handler(options));
        server.start();
        return server.getPort();
    }

    private Handler handler(PeerOptions options) {
        if (!options.isPooled()) {
            return (request, callback) -> callback.accept(answer(request));
        }
        ExecutorService pool = Executors.newFixedThreadPool(options.poolThreads());
        return (request, callback) -> pool.execute(() -> callback.accept(answer(request)));
    }

    private Response answer(Request request) {
        return switch (request.uri()) {
            case HttpPeer.PLAINTEXT -> new Response(200, "OK", List.of(SERVER, date.now(), TEXT_PLAIN), HELLO);
            case HttpPeer.ECHO -> new Response(200, "OK", List.of(SERVER, date.now()), request.body());
            default -> new Response(404, "Not Found", List.of(SERVER, date.now()), new byte[0]);
        };
    }
}
