package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.bytes.Bytes;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class PageCheckTest {
    private static final int SIZE = 600;

    @Test
    void a_page_that_arrives_as_it_is_has_nothing_wrong() throws Exception {
        check(_ -> page(Page.content(SIZE)));
    }

    @Test
    void a_page_that_is_cut_or_changed_is_noticed() {
        assertWrong("GET /600.html has a body of 599 bytes instead of 600", _ -> page(Page.content(SIZE - 1)));
        var changed = Page.content(SIZE);
        changed[500] ^= 1;
        assertWrong("GET /600.html is wrong from byte 500", _ -> page(changed));
        assertWrong("GET /600.html has status 404 instead of 200", _ -> Response.status(404));
    }

    @Test
    void a_head_alone_has_to_tell_the_length_of_the_page() {
        assertWrong(
                "HEAD /600.html has the Content-Length 599",
                request -> page(Page.content(request.method().equals("HEAD") ? SIZE - 1 : SIZE)));
    }

    private static Response page(byte[] content) {
        return Response.ok(Bytes.of(content), "text/html");
    }

    private static void assertWrong(String sentence, Function<Request, Response> server) {
        var wrong = assertThrows(IOException.class, () -> check(server));
        assertEquals("the response to " + sentence, wrong.getMessage());
    }

    private static void check(Function<Request, Response> answers) throws Exception {
        var here = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var loops = EventLoops.of(1);
                var server = Http.listen(Listen.on(here).loops(loops), answers::apply)) {
            check((InetSocketAddress) server.address());
        }
    }

    private static void check(InetSocketAddress server) throws Exception {
        try (var judge = new Judge(server, Optional.empty(), Duration.ofSeconds(30))) {
            PageCheck.run(judge, SIZE);
        }
    }
}
