package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.memory.SlabPool;
import io.millrace.os.Constants;
import io.millrace.os.Errno;
import io.millrace.os.Linux;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

class EpollWakeUpTest {
    /// Whoever has added a task wakes the loop afterwards, and by then the loop may have run the task and ended.
    @Test
    void a_wake_up_that_comes_too_late_writes_to_nobody() throws IOException {
        var linux = new Linux();
        var epoll = new Epoll(new SlabPool(4 << 20, true));
        epoll.close();
        var sockets = new ArrayList<Integer>();
        var pair = new int[2];
        for (int i = 0; i < 8; i++) {
            assertEquals(0, linux.socketpair(Constants.SOCK_STREAM, pair));
            sockets.add(pair[0]);
            sockets.add(pair[1]);
        }
        epoll.wakeup();
        var received = new ArrayList<Integer>();
        try (var arena = Arena.ofConfined()) {
            var room = arena.allocate(16);
            for (int socket : sockets) received.add(linux.recv(socket, room.address(), 16));
        }
        for (int socket : sockets) linux.close(socket);
        for (int count : received) assertEquals(-Errno.EAGAIN, count);
    }
}
