package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.bytes.Bytes;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EchoCheckTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final int SIZE = 600;

    @TempDir
    Path folder;

    @Test
    void a_body_that_comes_back_as_it_was_has_nothing_wrong() throws Exception {
        check(request -> Response.ok(body(request, SIZE), "text/plain"));
    }

    @Test
    void one_that_is_cut_or_changed_is_noticed() {
        assertWrong(
                "has a body of 599 bytes instead of 600",
                request -> Response.ok(body(request, SIZE - 1), "text/plain"));
        assertWrong("is wrong from byte 500", request -> {
            var changed = body(request, SIZE).toArray();
            changed[500] ^= 1;
            return Response.ok(Bytes.of(changed), "text/plain");
        });
        assertWrong("has status 404 instead of 200", _ -> Response.status(404));
    }

    private static Bytes body(Request request, int length) {
        return request.body().readBytes(length);
    }

    private void assertWrong(String sentence, Function<Request, Response> server) {
        var wrong = assertThrows(IOException.class, () -> check(server));
        assertEquals("the response to POST /echo " + sentence, wrong.getMessage());
    }

    /// Over TLS, with a certificate that nobody else trusts.
    private void check(Function<Request, Response> answers) throws Exception {
        var files = PemFiles.make(folder, "server", "127.0.0.1");
        var here = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        try (var loops = EventLoops.of(1);
                var server = Http.listen(
                        Listen.on(here).loops(loops).through(Tls.server(files.chain(), files.key())),
                        Http.whole(1 << 20, answers::apply));
                var judge = new Judge(
                        (InetSocketAddress) server.address(), Optional.of(files.chain()), Duration.ofSeconds(30))) {
            EchoCheck.run(judge, SIZE);
        }
    }
}
