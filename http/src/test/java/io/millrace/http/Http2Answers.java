package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.http.client.ClientSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/// What our client asks servers of HTTP/2 that others wrote, and must get.
final class Http2Answers {
    private static final int LARGE_BYTES = 3_000_000;
    private static final int MANY = 300;

    private Http2Answers() {}

    /// Starts a server, and returns when it listens.
    static Process listening(ProcessBuilder server, int port) throws Exception {
        var started = server.inheritIO().start();
        while (started.isAlive()) {
            try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertTrue(socket.isConnected());
                return started;
            } catch (IOException _) {
                Thread.onSpinWait();
            }
        }
        throw new AssertionError("it has ended with " + started.waitFor());
    }

    static ClientSettings limits(ClientSettings settings) {
        return settings.limits(HttpLimits.standard().bodyBytes(2L * LARGE_BYTES));
    }

    /// Of a server that sends back what is posted.
    static void assertAll(Asking asking, String url) throws Exception {
        assertGets(asking, url);
        var body = large();
        var echo = asking.client().send(Request.post(url, Bytes.of(body)));
        assertArrayEquals(body, echo.body().toArray());
        var uploaded = asking.client().send(Request.post(url, new Uploading(body, 10_000)));
        assertArrayEquals(body, uploaded.body().toArray());
    }

    /// Of a server that says hello, and has nothing at `/nothing`.
    static void assertGets(Asking asking, String url) throws Exception {
        assertEquals("hello", asking.get(url).text());
        var all = new ArrayList<CompletableFuture<Response>>();
        for (int i = 0; i < MANY; i++)
            all.add(asking.client().sendAsync(Request.get(url)).toCompletableFuture());
        for (var one : all) assertEquals("hello", one.get().text());
        assertEquals(404, asking.get(url + "nothing").status());
        assertTrue(asking.connections() <= 3, () -> asking.connections() + " connections");
    }

    /// The same each time.
    static byte[] large() {
        var body = new byte[LARGE_BYTES];
        new Random(1).nextBytes(body);
        return body;
    }
}
