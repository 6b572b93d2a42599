package io.millrace.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.backend.Endpoint;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// Requests that come back to the proxy that has passed them on.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CirclingTest {
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    @ParameterizedTest
    @EnumSource
    void a_proxy_that_is_its_own_backend_notices(Proxying.Kind kind) throws Exception {
        var list = new AtomicReference<Consumer<List<Endpoint>>>();
        var upstream = Upstream.of(listener -> {
            list.set(listener);
            return () -> {};
        });
        try (var proxy = kind.serve(upstream, one -> one);
                var client = proxy.connect();
                var started = proxy.upstream().start()) {
            list.get().accept(List.of(Endpoint.of((InetSocketAddress)
                    proxy.server().address())));
            assertEquals(508, client.get("/").read().status());
            var itself = started.backends().orElseThrow().members().getFirst();
            // Its client does not wait for the count.
            while (itself.ended() < 9) Thread.onSpinWait();
            assertEquals(9, itself.ended());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'1.1 millrace, 1.1 millrace, 1.1 millrace, 1.1 millrace, 1.1 millrace, 1.1 millrace, 1.1 millrace, 1.1 millrace', 200",
        "'1.1 millrace, 1.1 millrace,1.1 millrace , 1.0 millrace, 1.1 millrace (a), HTTP/1.1 millrace, 2 millrace, 1.1 millrace, 1.1 millrace', 508",
        "'1.1 other, 1.1 millrace2, 1.1 mill, 1.1 a, 1.1 b, 1.1 c, 1.1 d, 1.1 e, 1.1 f, 1.1 g', 200"
    })
    void a_few_of_one_name_in_a_row_are_fine(String via, int status) throws Exception {
        try (var backend = RawBackend.answering(OK);
                var proxy = Proxying.Kind.NIO_SAME.to(backend.uri());
                var client = proxy.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nVia: " + via + "\r\n\r\n");
            assertEquals(status, client.read().status());
        }
    }
}
