package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlaintextCheckTest {
    private static final Response RIGHT =
            Response.ok("Hello, World!").type("text/plain").addHeader("Server", "millrace");

    @Test
    void a_right_response_has_nothing_wrong() throws Exception {
        check(RIGHT);
    }

    @Test
    void each_part_of_it_is_looked_at() {
        assertWrong("has status 404 instead of 200", Response.status(404));
        assertWrong(
                "is wrong from byte 7",
                Response.ok("Hello, world!").type("text/plain").addHeader("Server", "millrace"));
        assertWrong("has no field Server", Response.ok("Hello, World!").type("text/plain"));
        assertWrong("is of the type 'text/html' instead of text/plain", RIGHT.type("text/html"));
    }

    private static void assertWrong(String sentence, Response response) {
        var wrong = assertThrows(IOException.class, () -> check(response));
        assertEquals("the response to GET /plaintext " + sentence, wrong.getMessage());
    }

    private static void check(Response response) throws Exception {
        var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var loops = EventLoops.of(1);
                var server = Http.listen(Listen.on(here).loops(loops), request -> response)) {
            check((InetSocketAddress) server.address());
        }
    }

    private static void check(InetSocketAddress server) throws Exception {
        try (var judge = new Judge(server, Optional.empty(), Duration.ofSeconds(30))) {
            PlaintextCheck.run(judge, true);
        }
    }
}
