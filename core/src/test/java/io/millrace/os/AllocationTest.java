package io.millrace.os;

import static io.millrace.os.Constants.EPOLLIN;
import static io.millrace.os.Constants.EPOLLOUT;
import static io.millrace.os.Constants.EPOLL_CTL_ADD;
import static io.millrace.os.Constants.EPOLL_CTL_MOD;
import static io.millrace.os.Descriptors.ok;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.AllocatedBytes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Tag("slow")
@EnabledOnOs(OS.LINUX)
class AllocationTest {
    private static final int ROUNDS = 100_000;

    @Test
    void a_turn_of_hot_calls_allocates_nothing() {
        try (var descriptors = new Descriptors()) {
            var turn = new Turn(descriptors);
            turn.run(ROUNDS);
            long before = AllocatedBytes.now();
            turn.run(ROUNDS);
            long allocated = AllocatedBytes.now() - before;
            assertTrue(allocated < ROUNDS, allocated + " bytes in " + ROUNDS + " turns of 11 calls");
        }
    }

    /// What an event loop does for one small message, and a wake-up.
    private static final class Turn {
        private final Linux linux;
        private final EpollEvents events = new EpollEvents(4);
        private final Msghdr message = new Msghdr(4);
        private final int[] pair;
        private final int wakeup;
        private final int epoll;
        private final long memory;

        Turn(Descriptors descriptors) {
            linux = descriptors.linux;
            pair = descriptors.socketpair();
            wakeup = descriptors.eventfd();
            epoll = descriptors.opened(linux.epollCreate1());
            memory = descriptors.memory(128).address();
            ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, pair[1], EPOLLIN, 1));
            ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, wakeup, EPOLLIN, 2));
        }

        void run(int rounds) {
            for (int i = 0; i < rounds; i++) {
                turn();
            }
        }

        private void turn() {
            assertTrue(Linux.eventfdWrite(wakeup));
            assertEquals(64, linux.send(pair[0], memory, 64));
            assertEquals(2, linux.epollWait(epoll, events, 0));
            assertEquals(3, events.data(0) + events.data(1));
            assertEquals(1, linux.eventfdRead(wakeup));
            assertEquals(64, linux.recv(pair[1], memory + 64, 64));
            assertEquals(-Errno.EAGAIN, linux.recv(pair[1], memory + 64, 64));
            message.clear();
            message.add(memory, 32);
            message.add(memory + 32, 32);
            assertEquals(64, linux.sendmsg(pair[1], message));
            assertEquals(64, linux.recv(pair[0], memory, 64));
            ok(linux.epollCtl(epoll, EPOLL_CTL_MOD, pair[1], EPOLLIN | EPOLLOUT, 1));
            ok(linux.epollCtl(epoll, EPOLL_CTL_MOD, pair[1], EPOLLIN, 1));
        }
    }
}
