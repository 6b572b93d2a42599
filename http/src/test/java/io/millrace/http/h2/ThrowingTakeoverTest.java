package io.millrace.http.h2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.Serving;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Relay;
import io.millrace.http.message.Takeover;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is taken over by something that throws ends on both sides: nothing else knows of it.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThrowingTakeoverTest {
    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();

    private final class Throwing implements Takeover {
        @Override
        public int status() {
            return 200;
        }

        @Override
        public Headers headers() {
            return Headers.EMPTY;
        }

        @Override
        public void begin(Peer peer) {
            told.add("begun");
            throw new IllegalStateException("as told");
        }

        @Override
        public void abort() {
            told.add("aborted");
        }
    }

    private Response handle(Request request) {
        if (!request.method().equals("CONNECT")) return Response.ok("hello");
        var relay = new Relay(Optional.empty(), () -> {});
        relay.upgrade(new Throwing());
        return BuiltResponse.of(200, new Body.Relayed(relay));
    }

    private void assertAborted() throws InterruptedException {
        assertEquals("begun", told.take());
        assertEquals("aborted", told.take());
    }

    @ParameterizedTest
    @EnumSource
    void over_a_connection_of_HTTP_1_1(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(this::handle);
                var client = new Socket(
                        InetAddress.getLoopbackAddress(),
                        URI.create(serving.url("/")).getPort())) {
            client.getOutputStream()
                    .write("CONNECT a.test:80 HTTP/1.1\r\nHost: a.test:80\r\n\r\n".getBytes(ISO_8859_1));
            assertAborted();
            readAll(client);
        }
    }

    /// To its end, which may be a reset.
    private static void readAll(Socket from) throws IOException {
        try {
            from.getInputStream().readAllBytes();
        } catch (SocketException _) {
            // It was one.
        }
    }

    @ParameterizedTest
    @EnumSource
    void over_a_stream_of_HTTP_2(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(this::handle);
                var peer = Http2Peer.of(serving)) {
            int id = peer.nextId();
            peer.send(new SentFrames().headers(id, false, ":method", "CONNECT", ":authority", "a.test:80"));
            assertAborted();
        }
    }
}
