package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.TransportKind;
import io.millrace.http.HttpVersion;
import io.millrace.http.server.Http;
import io.millrace.testing.Child;
import io.millrace.testing.EndsChildren;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What a message costs the garbage collector on the loop: the text that the handler gets, and nothing for sending
/// it back. Measured in a process of its own, as a server is one.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class WebSocketAllocationTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    /// The string and its array take 72.
    private static final double MOST_BYTES = 90;

    /// What the JIT inlines, and so need not allocate, differs from run to run on a busy machine: some have 50 bytes
    /// more.
    private static final int MOST_TRIES = 4;

    @ParameterizedTest
    @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
    void an_echoed_message_allocates_its_value(HttpVersion version) throws Exception {
        double bytes = Double.MAX_VALUE;
        for (int i = 0; i < MOST_TRIES && bytes >= MOST_BYTES; i++) {
            bytes = bytesPerMessage(version);
            System.out.println("allocated per message over " + version + ": " + bytes + " bytes");
        }
        assertTrue(bytes < MOST_BYTES, bytes + " bytes per message");
    }

    private static double bytesPerMessage(HttpVersion version) throws Exception {
        try (var child =
                Child.start(List.of(Http.class), WebSocketCost.class, List.of(), TransportKind.EPOLL, version.name())) {
            return Double.parseDouble(child.next());
        }
    }
}
