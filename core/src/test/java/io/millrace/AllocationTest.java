package io.millrace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// What a message costs the garbage collector: nothing, in callback style on Linux. Measured in a process of its own,
/// as a server is one: in this one other tests have taught the compiler that every call has many targets.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class AllocationTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void a_message_in_callback_style_on_epoll_allocates_less_than_a_byte() throws Exception {
        double bytes = bytesPerMessage(TransportKind.EPOLL);
        assertTrue(bytes < 1, bytes + " bytes per message");
    }

    @Test
    void a_message_in_callback_style_on_io_uring_allocates_less_than_a_byte() throws Exception {
        Loops.URING.assumeWorks();
        double bytes = bytesPerMessage(TransportKind.URING);
        assertTrue(bytes < 1, bytes + " bytes per message");
    }

    @Test
    void a_message_in_callback_style_on_nio_allocates_little() throws Exception {
        double bytes = bytesPerMessage(TransportKind.NIO);
        System.out.println("allocated per message on NIO: " + bytes + " bytes");
        assertTrue(bytes < 64, bytes + " bytes per message");
    }

    private static double bytesPerMessage(TransportKind kind) throws Exception {
        try (var child = Child.start(PingPong.class, List.of(), kind.name())) {
            return Double.parseDouble(child.next());
        }
    }
}
