package io.millrace.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.message.Handshake;
import io.millrace.http.websocket.CloseCode;
import io.millrace.http.websocket.WebSocket;
import io.millrace.http.websocket.WebSocketHandler;
import io.millrace.http.websocket.WebSocketRefused;
import io.millrace.http.ws.WsViolations;
import io.millrace.net.ProtocolError;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// What a server and a client make of peers that break the rules of WebSocket, on real connections: whoever sees it
/// says why with a close frame, and ends the connection.
class HostileSocketsTest {
    private static final int PATIENCE_SECONDS = 20;
    private static final HttpHandler ECHO = request -> WebSocket.accept(request, socket -> socket::send);
    private static final String PACKED = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
    private static final String ASKING = """
            GET / HTTP/1.1\r
            Host: a\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            """;

    // A server.

    @ParameterizedTest
    @EnumSource
    void a_server_fails_what_it_has_to(Serving.Kind kind) throws Exception {
        try (var serving = kind.serve(ECHO)) {
            for (var violation : WsViolations.ofClients()) {
                try (var peer = serving.connect()) {
                    peer.send(ASKING + (violation.isPacked() ? PACKED : "") + "\r\n");
                    for (var line = peer.line(); !line.isEmpty(); line = peer.line()) {}
                    peer.send(violation.bytes().toArray());
                    assertEquals(violation.code(), WsViolations.closeCode(peer::bytes), violation::toString);
                    peer.assertEnd();
                }
            }
        }
    }

    /// Each is a change of a request that is right.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    GET / HTTP/1.1                   | POST / HTTP/1.1                                  | 426
                    GET / HTTP/1.1                   | HEAD / HTTP/1.1                                  | 426
                    GET / HTTP/1.1                   | GET / HTTP/1.0                                   | 426
                    Host: a                          |                                                  | 400
                    Upgrade: websocket               |                                                  | 426
                    Upgrade: websocket               | Upgrade: h2c                                     | 426
                    Connection: Upgrade              |                                                  | 426
                    Connection: Upgrade              | Connection: keep-alive                           | 426
                    Sec-WebSocket-Version: 13        |                                                  | 426
                    Sec-WebSocket-Version: 13        | Sec-WebSocket-Version: 12                        | 426
                    Sec-WebSocket-Version: 13        | Sec-WebSocket-Version: 13, 8                     | 426
                    dGhlIHNhbXBsZSBub25jZQ==         |                                                  | 426
                    dGhlIHNhbXBsZSBub25jZQ==         | dGhlIHNhbXBsZQ==                                 | 400
                    dGhlIHNhbXBsZSBub25jZQ==         | dGhlIHNhbXBsZSBub25jZXNz                         | 400
                    dGhlIHNhbXBsZSBub25jZQ==         | dGhlIHNhbXBsZSBub25jZ!==                         | 400
                    Sec-WebSocket-Version: 13        | Sec-WebSocket-Version: 13\\r\\nContent-Length: 1   | 426
                    Sec-WebSocket-Version: 13        | Sec-WebSocket-Version: 13\\r\\nOrigin: http://evil | 403
                    Sec-WebSocket-Version: 13        | Sec-WebSocket-Version: 13\\r\\nSec-WebSocket-Extensions: ; | 400
                    """)
    void a_server_refuses_a_request_that_is_not_right(String from, @Nullable String to, int status) throws Exception {
        var changed = to == null ? "" : to.replace("\\r\\n", "\r\n");
        assertTrue(ASKING.contains(from), from);
        try (var serving = Serving.Kind.EPOLL_LOOP.serve(ECHO);
                var peer = serving.connect()) {
            var whole = to == null && !from.contains("=") ? from + "\r\n" : from;
            peer.send(ASKING.replace(whole, changed) + "\r\nx").end();
            assertEquals(status, peer.read(!changed.startsWith("HEAD")).status());
        }
    }

    // A client.

    /// Keeps how it ends.
    private record Ending(CompletableFuture<String> end) implements WebSocketHandler {
        @Override
        public void onText(String text) {}

        @Override
        public void onClose(int code, String reason) {
            end.complete(code + " " + reason);
        }
    }

    private static String agreeing(String request) {
        var key = request.lines()
                .filter(line -> line.regionMatches(true, 0, "Sec-WebSocket-Key: ", 0, 19))
                .findFirst()
                .orElseThrow()
                .substring(19);
        return "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: "
                + Handshake.acceptOf(key) + "\r\n";
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO_LOOP", "EPOLL_LOOP", "URING_LOOP"})
    void a_client_fails_what_it_has_to(Serving.Kind kind) throws Exception {
        var violations = WsViolations.ofServers();
        // Its loops are the client's.
        try (var serving = kind.serve(ECHO);
                var client = HttpClient.of(ClientSettings.standard().loops(serving.loops()));
                var server = ScriptedServer.start(talk -> {
                    var violation = violations.get(talk.number - 1);
                    var packed = PACKED.replace("\r\n", "; server_no_context_takeover; client_no_context_takeover\r\n");
                    talk.send(agreeing(talk.head()) + (violation.isPacked() ? packed : "") + "\r\n");
                    talk.send(new String(violation.bytes().toArray(), ISO_8859_1));
                    int code = WsViolations.closeCode(count -> talk.text(count).getBytes(ISO_8859_1));
                    assertEquals(violation.code(), code, violation::toString);
                })) {
            for (var violation : violations) {
                var end = new CompletableFuture<String>();
                var _ = WebSocket.connect(client, Request.get(server.url("/")), _ -> new Ending(end))
                        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                var how = end.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
                assertTrue(how.startsWith(CloseCode.ABNORMAL + " "), () -> violation + ": " + how);
            }
        }
    }

    /// Each is a change of a response that is right.
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    Upgrade: websocket\\r\\n          |
                    Upgrade: websocket              | Upgrade: h2c
                    Connection: Upgrade\\r\\n         |
                    Connection: Upgrade             | Connection: close
                    Sec-WebSocket-Accept: .*\\r\\n    |
                    Sec-WebSocket-Accept: .         | Sec-WebSocket-Accept: _
                    $                               | Sec-WebSocket-Protocol: chat\\r\\n
                    $                               | Sec-WebSocket-Extensions: x-other\\r\\n
                    $                               | Sec-WebSocket-Extensions: permessage-deflate; a\\r\\n
                    $                               | Sec-WebSocket-Extensions: permessage-deflate\\r\\n
                    $                               | Sec-WebSocket-Extensions: ;\\r\\n
                    """)
    void a_client_refuses_a_response_that_is_not_right(String from, @Nullable String to) throws Exception {
        var changed = to == null ? "" : to.replace("\\r\\n", "\r\n");
        try (var server = ScriptedServer.start(talk -> {
                    var right = agreeing(talk.head());
                    talk.send(right.replaceFirst(from.replace("$", "\\z"), changed) + "\r\n");
                    talk.awaitEnd();
                });
                var client = HttpClient.of(ClientSettings.standard())) {
            assertRefused(ProtocolError.class, client, server);
        }
    }

    private static <E extends Exception> E assertRefused(Class<E> as, HttpClient client, ScriptedServer server) {
        var asked = WebSocket.connect(client, Request.get(server.url("/")), _ -> new Ending(new CompletableFuture<>()));
        var failed = assertThrows(ExecutionException.class, () -> asked.get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        return as.cast(Objects.requireNonNull(failed.getCause()));
    }

    @ParameterizedTest
    @CsvSource({"200", "301", "401", "426"})
    void a_client_says_which_status_it_got_instead(int status) throws Exception {
        try (var server = ScriptedServer.answering("HTTP/1.1 " + status + " X\r\nContent-Length: 0\r\n\r\n");
                var client = HttpClient.of(ClientSettings.standard())) {
            assertEquals(
                    status,
                    assertRefused(WebSocketRefused.class, client, server).status());
        }
    }
}
