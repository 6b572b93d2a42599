package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.EventLoops;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Responses of HTTP/2 that a client's callers do not read, and others on the same connection.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class Http2UnreadTest {
    private static final int UNREAD = 60;

    /// Read before the rest is left: enough for the window to grow as far as it may.
    private static final int READ_BYTES = 4 << 20;

    @Test
    void callers_that_stop_reading_keep_no_others_from_reading() throws Exception {
        var part = new byte[10_000];
        HttpHandler app = request -> request.path().equals("/")
                ? Response.ok("x".repeat(60_000))
                : Response.stream(200, out -> {
                    out.write(part, 0, part.length);
                    return true;
                });
        var haveRead = new CountDownLatch(UNREAD);
        var isEnd = new CountDownLatch(1);
        try (var serving = Serving.Kind.NIO_LOOP.serve(app);
                var loops = EventLoops.of(1);
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var client = HttpClient.of(
                        ClientSettings.standard().loops(loops).connections(1).version(HttpVersion.HTTP_2))) {
            var url = "http://127.0.0.1:" + serving.server().port();
            try {
                for (int i = 0; i < UNREAD; i++) {
                    var _ = threads.submit(() -> readSome(client, url, haveRead, isEnd));
                }
                haveRead.await();
                assertEquals(60_000, client.send(Request.get(url + "/")).text().length());
            } finally {
                isEnd.countDown();
            }
        }
    }

    private static int readSome(HttpClient client, String url, CountDownLatch hasRead, CountDownLatch isEnd)
            throws IOException {
        return client.send(Request.get(url + "/endless"), (_, body) -> {
            int length = body.readNBytes(READ_BYTES).length;
            hasRead.countDown();
            try {
                isEnd.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return length;
        });
    }
}
