package io.millrace.os;

import static io.millrace.os.Constants.EPOLLIN;
import static io.millrace.os.Constants.EPOLLOUT;
import static io.millrace.os.Constants.EPOLL_CTL_ADD;
import static io.millrace.os.Descriptors.ok;
import static io.millrace.os.TestedConstants.EPOLL_CTL_MOD;

import io.millrace.testing.AllocatedBytes;

/// Prints how many bytes turns of system calls have allocated: run by [AllocationTest].
public final class HotCalls {
    private HotCalls() {}

    /// The argument is the number of turns.
    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        try (var descriptors = new Descriptors()) {
            var turn = new Turn(descriptors);
            turn.run(rounds);
            long before = AllocatedBytes.now();
            turn.run(rounds);
            System.out.println(AllocatedBytes.now() - before);
        }
    }

    private static void require(boolean isSo) {
        if (!isSo) throw new IllegalStateException("a call did something else");
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
            require(Linux.eventfdWrite(wakeup));
            require(64 == linux.send(pair[0], memory, 64));
            require(2 == linux.epollWait(epoll, events, 0));
            require(3 == events.data(0) + events.data(1));
            require(1 == linux.eventfdRead(wakeup));
            require(64 == linux.recv(pair[1], memory + 64, 64));
            require(-Errno.EAGAIN == linux.recv(pair[1], memory + 64, 64));
            message.clear();
            message.add(memory, 32);
            message.add(memory + 32, 32);
            require(64 == linux.sendmsg(pair[1], message));
            require(64 == linux.recv(pair[0], memory, 64));
            ok(linux.epollCtl(epoll, EPOLL_CTL_MOD, pair[1], EPOLLIN | EPOLLOUT, 1));
            ok(linux.epollCtl(epoll, EPOLL_CTL_MOD, pair[1], EPOLLIN, 1));
        }
    }
}
