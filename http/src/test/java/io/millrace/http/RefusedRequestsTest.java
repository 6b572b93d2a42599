package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Requests that no handler hears of: what their peers get, and what is told of them.
class RefusedRequestsTest {
    private static final int PORT = 80;

    private final List<String> told = new ArrayList<>();

    private String answerTo(String requests) {
        try (var network = new Simulation(1);
                var _ = Http.listen(
                        network.on(PORT),
                        HttpSettings.standard().listener(served -> told.add(served.protocol() + " " + served.status())),
                        Http.whole(1 << 20, _ -> Response.ok("fine")))) {
            var peer = network.connect(PORT).send(requests);
            network.run();
            return peer.received();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HEAD /%zz HTTP/1.1\r\nHost: a\r\n\r\n",
                "HEAD http://b/ HTTP/1.1\r\nHost: a\r\n\r\n",
                "HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n"
            })
    void the_refusal_of_a_head_has_no_body(String request) {
        var answer = answerTo(request);
        assertTrue(answer.startsWith("HTTP/1.1 4") && answer.endsWith("\r\n\r\n"), answer);
    }

    @Test
    void the_refusal_of_what_follows_a_head_has_one() {
        var answer = answerTo("HEAD / HTTP/1.1\r\nHost: a\r\n\r\nGET /%zz HTTP/1.1\r\nHost: a\r\n\r\n");
        assertTrue(answer.endsWith("\r\n\r\nBad Request\n"), answer);
    }

    /// What a filter says of fields is said of a view of what the peer sent.
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length", "Transfer-Encoding", "Connection", "TE", "Upgrade", "Expect"})
    void a_filter_says_nothing_of_a_connection(String name) {
        try (var network = new Simulation(1);
                var _ = Http.listen(network.on(PORT), request -> {
                    var thrown = assertThrows(IllegalArgumentException.class, () -> request.setHeader(name, "1"));
                    var view = request.removeHeader("X-A").addHeader("X-B", "2");
                    return Response.ok(thrown.getMessage() + view.headers());
                })) {
            var peer = network.connect(PORT).send("GET /a HTTP/1.1\r\nHost: a\r\nx-a: 1\r\n\r\n");
            network.run();
            assertTrue(peer.received().contains("the field " + name + " belongs to"), peer::received);
            assertTrue(peer.received().endsWith("X-B: 2\n") && !peer.received().contains("x-a"), peer::received);
        }
    }

    @Test
    void each_is_told_with_the_version_of_its_own() {
        answerTo("GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n");
        answerTo("GET /%zz HTTP/1.0\r\n\r\n");
        answerTo("nonsense\r\n\r\n");
        answerTo("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
        assertEquals(List.of("HTTP/1.1 400", "HTTP/1.0 400", "HTTP/1.1 400", "HTTP/1.0 200", "HTTP/1.1 400"), told);
    }
}
