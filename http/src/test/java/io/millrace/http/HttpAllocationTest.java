package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.TransportKind;
import io.millrace.http.server.Http;
import io.millrace.testing.Child;
import io.millrace.testing.EndsChildren;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// What a request costs the garbage collector on the loop: two small objects. Measured in a process of its own,
/// as a server is one.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class HttpAllocationTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final double MOST_BYTES = 100;

    @Test
    void a_request_for_a_constant_text_of_a_route_allocates_less_than_a_hundred_bytes() throws Exception {
        double bytes = bytesPerRequest(TransportKind.EPOLL);
        System.out.println("allocated per request: " + bytes + " bytes");
        assertTrue(bytes < MOST_BYTES, bytes + " bytes per request");
    }

    private static double bytesPerRequest(TransportKind kind) throws Exception {
        try (var child = Child.start(List.of(Http.class), PlaintextCost.class, List.of(), kind.name())) {
            return Double.parseDouble(child.next());
        }
    }
}
