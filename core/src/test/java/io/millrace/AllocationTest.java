package io.millrace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Child;
import io.millrace.testing.EndsChildren;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a message costs the garbage collector: nothing, but for a thread now and then. Measured in a process of
/// its own, as a server is one: in this one other tests have taught the compiler that every call has many targets.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class AllocationTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    /// Half of the messages are the client's, which is in callback style whatever the server is.
    @ParameterizedTest
    @CsvSource({
        "EPOLL, CALLBACK, 0.1",
        "URING, CALLBACK, 0.1",
        "EPOLL, DIRECT, 0.1",
        "URING, DIRECT, 0.1",
        // A virtual thread for the calls of a turn; one for each call would be 240.
        "EPOLL, VIRTUAL, 100",
        "NIO, CALLBACK, 0.1"
    })
    void a_message_allocates_next_to_nothing(TransportKind kind, PingPong.Style style, double mostBytes)
            throws Exception {
        if (kind == TransportKind.URING) Loops.URING.assumeWorks();
        double bytes = bytesPerMessage(kind, style);
        assertTrue(bytes < mostBytes, bytes + " bytes per message");
    }

    private static double bytesPerMessage(TransportKind kind, PingPong.Style style) throws Exception {
        try (var child = Child.start(PingPong.class, List.of(), kind.name(), style.name())) {
            return Double.parseDouble(child.next());
        }
    }
}
