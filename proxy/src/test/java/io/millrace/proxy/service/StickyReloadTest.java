package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient.Reply;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Sticky cookies of a file.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StickyReloadTest {
    private static RawBackend saying(String text) throws IOException {
        return RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
    }

    private static String file(String secret, RawBackend... backends) {
        var endpoints = new StringBuilder();
        for (var backend : backends)
            endpoints
                    .append('"')
                    .append(backend.uri().substring("http://".length()))
                    .append("\", ");
        return """
                listeners: {web: {address: "127.0.0.1:0", scheme: https}}
                routes: {all: {upstream: app}}
                upstreams:
                  app:
                    endpoints: [ENDPOINTS]
                    balance: round-robin
                    sticky: {cookie: __Host-backend, secret: "SECRET"}
                runtime: {loops: 1}
                """.replace("ENDPOINTS", endpoints).replace("SECRET", secret);
    }

    private static Reply ask(Serving serving, String cookie) throws IOException {
        try (var client = serving.connect()) {
            return client.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: " + cookie + "\r\n\r\n")
                    .read();
        }
    }

    private static void assertStays(Serving serving, Reply first) throws IOException {
        var cookie = first.header("Set-Cookie").replaceFirst(";.*", "");
        for (int i = 0; i < 4; i++) {
            var next = ask(serving, cookie);
            assertEquals(first.text() + " ", next.text() + " " + next.header("Set-Cookie"));
        }
    }

    @Test
    void a_cookie_outlasts_reloads_and_processes_until_the_secret_changes() throws Exception {
        try (var one = saying("one");
                var two = saying("two")) {
            var secret = "0123456789abcdef";
            Reply first;
            try (var serving = Serving.of(file(secret, one, two))) {
                first = ask(serving, "a=b");
                assertTrue(
                        first.header("Set-Cookie")
                                .matches("__Host-backend=[A-Za-z0-9_-]{22}; Path=/; Secure; HttpOnly; SameSite=Lax"),
                        first::toString);
                assertStays(serving, first);
                assertEquals(
                        "nothing has changed", serving.service().reload(Serving.configuration(file(secret, one, two))));
                assertStays(serving, first);
                assertEquals(
                        "changed upstream app",
                        serving.service().reload(Serving.configuration(file(secret, two, one))));
                assertStays(serving, first);
                serving.service().reload(Serving.configuration(file(secret + "!", one, two)));
                var cookie = first.header("Set-Cookie").replaceFirst(";.*", "");
                assertTrue(ask(serving, cookie).header("Set-Cookie").startsWith("__Host-backend="));
            }
            try (var serving = Serving.of(file(secret, one, two))) {
                assertStays(serving, first);
            }
        }
    }
}
