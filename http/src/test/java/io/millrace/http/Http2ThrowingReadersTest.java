package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.bytes.Input;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Readers of responses that throw what is no exception: the other calls on their connection go on.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2ThrowingReadersTest {
    enum Moment {
        HEAD,
        BODY,
        END,
        ABORT
    }

    private record Failing(Moment at) implements ResponseReader<String> {
        private void reached(Moment moment) {
            if (moment == at) throw new AssertionError("as told");
        }

        @Override
        public void onHead(Response head) {
            reached(Moment.HEAD);
        }

        @Override
        public void onBody(Input part) throws Exception {
            reached(Moment.BODY);
            part.skip(part.remaining());
            if (at == Moment.ABORT) throw new Exception("given up");
        }

        @Override
        public String onEnd() {
            reached(Moment.END);
            return "";
        }

        @Override
        public void onAbort() {
            reached(Moment.ABORT);
        }
    }

    @ParameterizedTest
    @EnumSource
    void others_go_on(Moment moment) throws Exception {
        var late = new CompletableFuture<Response>();
        Set<SocketAddress> remotes = ConcurrentHashMap.newKeySet();
        HttpHandler app = request -> {
            remotes.add(request.remote());
            return request.path().equals("/late") ? Response.later(late) : Response.ok("hello");
        };
        try (var serving = Serving.Kind.NIO_LOOP.serve(app);
                var client = HttpClient.of(ClientSettings.standard()
                        .loops(serving.loops())
                        .connections(1)
                        .version(HttpVersion.HTTP_2))) {
            var other = client.sendAsync(Request.get(serving.url("/late"))).toCompletableFuture();
            var failed = client.sendAsync(Request.get(serving.url("/")), new Failing(moment))
                    .toCompletableFuture();
            var error = assertThrows(CompletionException.class, failed::join);
            var expected = moment == Moment.ABORT ? "given up" : "as told";
            assertEquals(expected, Objects.requireNonNull(error.getCause()).getMessage());
            assertEquals("hello", client.send(Request.get(serving.url("/"))).text());
            late.complete(Response.ok("late"));
            assertEquals("late", other.join().text());
            assertEquals(1, remotes.size());
        }
    }
}
