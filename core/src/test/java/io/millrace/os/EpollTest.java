package io.millrace.os;

import static io.millrace.os.Constants.EPOLLET;
import static io.millrace.os.Constants.EPOLLHUP;
import static io.millrace.os.Constants.EPOLLIN;
import static io.millrace.os.Constants.EPOLLOUT;
import static io.millrace.os.Constants.EPOLLRDHUP;
import static io.millrace.os.Constants.EPOLL_CTL_ADD;
import static io.millrace.os.Constants.EPOLL_CTL_DEL;
import static io.millrace.os.Constants.SHUT_WR;
import static io.millrace.os.Descriptors.ok;
import static io.millrace.os.TestedConstants.EPOLL_CTL_MOD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class EpollTest {
    private final Descriptors descriptors = new Descriptors();
    private final Linux linux = descriptors.linux;
    private final EpollEvents events = new EpollEvents(64);
    private int epoll;

    @BeforeEach
    void create() {
        epoll = descriptors.opened(linux.epollCreate1());
    }

    @AfterEach
    void close() {
        descriptors.close();
    }

    @Test
    void an_eventfd_counts_and_resets() {
        int fd = descriptors.eventfd();
        assertTrue(Linux.eventfdWrite(fd));
        assertTrue(Linux.eventfdWrite(fd));
        assertEquals(2, linux.eventfdRead(fd));
        assertEquals(-Errno.EAGAIN, linux.eventfdRead(fd));
    }

    @Test
    void what_is_not_open_cannot_be_written() {
        assertFalse(Linux.eventfdWrite(-1));
    }

    @Test
    void another_thread_ends_a_wait_without_a_limit() throws InterruptedException {
        int fd = descriptors.eventfd();
        ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, fd, EPOLLIN, 7));
        var waker = Thread.ofPlatform().start(() -> Linux.eventfdWrite(fd));
        assertEquals(1, linux.epollWait(epoll, events, -1));
        assertEquals(7, events.data(0));
        waker.join();
    }

    @Test
    void every_slot_of_the_array_has_its_own_data() {
        Set<Long> expected = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            int fd = descriptors.eventfd();
            long data = ((long) fd << 32) | i;
            expected.add(data);
            ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET, data));
            Linux.eventfdWrite(fd);
        }
        assertEquals(64, linux.epollWait(epoll, events, 0));
        Set<Long> found = new HashSet<>();
        for (int i = 0; i < 64; i++) {
            assertEquals(EPOLLIN, events.events(i));
            found.add(events.data(i));
        }
        assertEquals(expected, found);
    }

    @Test
    void edges_are_told_once_and_levels_again() {
        int edge = descriptors.eventfd();
        int level = descriptors.eventfd();
        ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, edge, EPOLLIN | EPOLLET, 1));
        ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, level, EPOLLIN, 2));
        Linux.eventfdWrite(edge);
        Linux.eventfdWrite(level);
        assertEquals(2, linux.epollWait(epoll, events, 0));
        assertEquals(1, linux.epollWait(epoll, events, 0));
        assertEquals(2, events.data(0));
    }

    @Test
    void modifying_changes_events_and_data() {
        int[] pair = descriptors.socketpair();
        ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, pair[0], EPOLLIN, 1));
        assertEquals(0, linux.epollWait(epoll, events, 0));
        ok(linux.epollCtl(epoll, EPOLL_CTL_MOD, pair[0], EPOLLOUT, -1));
        assertEquals(1, linux.epollWait(epoll, events, 0));
        assertEquals(EPOLLOUT, events.events(0));
        assertEquals(-1, events.data(0));
    }

    @Test
    void what_was_deleted_is_not_told() {
        int fd = descriptors.eventfd();
        ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, fd, EPOLLIN, 1));
        ok(linux.epollCtl(epoll, EPOLL_CTL_DEL, fd, 0, 0));
        Linux.eventfdWrite(fd);
        assertEquals(0, linux.epollWait(epoll, events, 0));
    }

    @Test
    void no_more_events_come_than_there_is_room_for() {
        for (int i = 0; i < 3; i++) {
            int fd = descriptors.eventfd();
            ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, fd, EPOLLIN, i));
            Linux.eventfdWrite(fd);
        }
        assertEquals(2, linux.epollWait(epoll, new EpollEvents(2), 0));
    }

    @Test
    void a_half_close_is_told_as_such_and_a_close_as_hang_up() {
        int[] pair = descriptors.socketpair();
        ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, pair[0], EPOLLIN | EPOLLRDHUP, 1));
        ok(linux.shutdown(pair[1], SHUT_WR));
        assertEquals(1, linux.epollWait(epoll, events, 0));
        assertEquals(EPOLLIN | EPOLLRDHUP, events.events(0));
        descriptors.closeNow(pair[1]);
        assertEquals(1, linux.epollWait(epoll, events, 0));
        assertEquals(EPOLLIN | EPOLLRDHUP | EPOLLHUP, events.events(0));
    }

    @Test
    void errors_come_back_negative() {
        int fd = descriptors.eventfd();
        assertEquals(-Errno.ENOENT, linux.epollCtl(epoll, EPOLL_CTL_MOD, fd, EPOLLIN, 0));
        ok(linux.epollCtl(epoll, EPOLL_CTL_ADD, fd, EPOLLIN, 0));
        assertEquals(-Errno.EEXIST, linux.epollCtl(epoll, EPOLL_CTL_ADD, fd, EPOLLIN, 0));
        assertEquals(-Errno.EINVAL, linux.epollWait(fd, events, 0));
    }

    @Test
    void an_array_without_room_is_refused() {
        var refused = assertThrows(IllegalArgumentException.class, () -> new EpollEvents(0));
        assertTrue(refused.toString().contains("capacity 0"), refused.toString());
    }
}
