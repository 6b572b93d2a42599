package io.millrace.proxy.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.testing.AllocatedBytes;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Finding a route costs the garbage collector nothing.
@Tag("slow")
class RoutingAllocationTest {
    private static final int TIMES = 20_000;
    private static final Response ANSWER = Response.ok("");

    /// Some bytes for what the JVM does on this thread for itself, far from one object for each request.
    private static final long SLACK = TIMES;

    /// Where a compiled test cannot leave out what nobody looks at.
    private static volatile Optional<String> asked = Optional.empty();

    private static Routing routing(String... routes) {
        return Routing.of(Configured.settings(routes), _ -> _ -> ANSWER);
    }

    private interface Action {
        void run() throws Exception;
    }

    private static long allocated(Action action) throws Exception {
        for (int i = 0; i < TIMES; i++) action.run();
        long before = AllocatedBytes.now();
        for (int i = 0; i < TIMES; i++) action.run();
        return AllocatedBytes.now() - before;
    }

    private static void checkFree(Routing routing, Request request) throws Exception {
        assertEquals(200, routing.handle(request).status());
        long bytes = allocated(() -> routing.handle(request));
        assertTrue(bytes < SLACK, bytes + " bytes for " + TIMES + " requests");
    }

    @Test
    void a_literal_path_is_found_without_allocating() throws Exception {
        checkFree(
                routing("a: {match: {path: /a/b, methods: [GET]}, upstream: app}", "b: {upstream: app}"),
                Request.get("/a/b"));
    }

    @Test
    void a_prefix_and_a_pattern_are_found_without_allocating() throws Exception {
        var routing =
                routing("a: {match: {prefix: /a}, upstream: app}", "b: {match: {path: '/b/{id}/c'}, upstream: app}");
        checkFree(routing, Request.get("/a/b/c"));
        checkFree(routing, Request.get("/b/17/c"));
    }

    @Test
    void a_host_costs_what_the_request_takes_to_tell_it() throws Exception {
        var routing = routing(
                "a: {match: {hosts: [a.example.org], path: /a}, upstream: app}",
                "b: {match: {hosts: ['*.example.org'], path: /b}, upstream: app}");
        for (var path : new String[] {"/a", "/b"}) {
            var request = Configured.request("GET", path, "A.example.org:8080");
            assertEquals(200, routing.handle(request).status());
            long asking = allocated(() -> asked = request.header("Host"));
            long routed = allocated(() -> routing.handle(request));
            assertTrue(routed <= asking + SLACK, routed + " bytes, and " + asking + " for the field alone");
        }
    }
}
