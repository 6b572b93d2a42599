package io.millrace.proxy.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A route to several upstreams.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SplitTest {
    private static final int REQUESTS = 200;

    private static RawBackend saying(String text) throws IOException {
        return RawBackend.answering("HTTP/1.1 200 OK\r\nContent-Length: " + text.length() + "\r\n\r\n" + text);
    }

    private static String file(RawBackend stable, String next, String weights, String by) {
        return """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes:
                  all:
                    split: {upstreams: [{name: stable, weight: STABLE}, {name: next, weight: NEXT}], by: BY}
                upstreams:
                  stable: {endpoints: ["ADDRESS"]}
                  next: {endpoints: [OTHERS]}
                admin: {address: "127.0.0.1:0"}
                runtime: {loops: 1}
                """.replace("STABLE", weights.split("/", -1)[0])
                .replace("NEXT", weights.split("/", -1)[1])
                .replace("BY", by)
                .replace("ADDRESS", address(stable))
                .replace("OTHERS", next);
    }

    private static String address(RawBackend backend) {
        return backend.uri().substring("http://".length());
    }

    private static String quoted(RawBackend backend) {
        return "\"" + address(backend) + "\"";
    }

    /// The address of a backend that is gone.
    private static String dead() throws IOException {
        try (var dead = saying("")) {
            dead.end();
            return quoted(dead);
        }
    }

    private static String answer(RawClient client, int session) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: a\r\nCookie: session=s" + session + "\r\n\r\n")
                .read()
                .text();
    }

    private static List<String> answers(Serving serving) throws IOException {
        var all = new ArrayList<String>();
        try (var client = serving.connect()) {
            for (int i = 0; i < REQUESTS; i++) all.add(answer(client, i));
        }
        return all;
    }

    /// The requests of each upstream, as the metrics have them.
    private static long counted(Serving serving, String upstream) throws IOException {
        var admin = (InetSocketAddress) serving.service().adminAddress().orElseThrow();
        try (var client = new RawClient(admin.getPort())) {
            return client.send("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    .read()
                    .text()
                    .lines()
                    .filter(line -> line.startsWith("millrace_backend_requests_total{")
                            && line.contains("upstream=\"" + upstream + "\"")
                            && line.contains("outcome=\"success\""))
                    .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        }
    }

    @Test
    void each_upstream_gets_its_share_and_counts_it() throws Exception {
        try (var stable = saying("stable");
                var next = saying("next");
                var serving = Serving.of(file(stable, quoted(next), "3/1", "request"))) {
            var counts = new HashMap<String, Long>();
            for (var answer : answers(serving)) counts.merge(answer, 1L, Long::sum);
            assertEquals(counts.getOrDefault("stable", 0L), counted(serving, "stable"));
            assertEquals(counts.getOrDefault("next", 0L), counted(serving, "next"));
            long got = counts.getOrDefault("next", 0L);
            assertTrue(got > 10 && got < 100, counts::toString);
        }
    }

    @Test
    void a_session_stays_with_its_version_over_reloads_and_processes() throws Exception {
        try (var stable = saying("stable");
                var next = saying("next")) {
            var text = file(stable, quoted(next), "50/50", "{cookie: session}");
            List<String> before;
            try (var serving = Serving.of(text)) {
                before = answers(serving);
                assertTrue(before.contains("stable") && before.contains("next"), before::toString);
                assertEquals(
                        "changed route all",
                        serving.service()
                                .reload(Serving.configuration(file(stable, quoted(next), "1/1", "{cookie: session}"))));
                assertEquals(before, answers(serving));
            }
            try (var serving = Serving.of(text)) {
                assertEquals(before, answers(serving));
            }
        }
    }

    @Test
    void a_client_stays_with_its_version() throws Exception {
        try (var stable = saying("stable");
                var next = saying("next");
                var serving = Serving.of(file(stable, quoted(next), "1/1", "client"))) {
            assertEquals(1, answers(serving).stream().distinct().count());
        }
    }

    @Test
    void a_request_is_tried_again_at_another_backend_of_its_own_upstream() throws Exception {
        try (var stable = saying("stable");
                var next = saying("next")) {
            var others = dead() + ", " + quoted(next);
            try (var serving = Serving.of(file(stable, others, "0/1", "request"))) {
                assertEquals(
                        List.of("next"), answers(serving).stream().distinct().toList());
                assertEquals(0, counted(serving, "stable"));
            }
        }
    }

    @Test
    void a_version_without_a_backend_is_not_replaced_by_the_other() throws Exception {
        try (var stable = saying("stable");
                var serving = Serving.of(file(stable, dead(), "0/1", "request"));
                var client = serving.connect()) {
            assertEquals(503, client.get("/").read().status());
        }
    }
}
