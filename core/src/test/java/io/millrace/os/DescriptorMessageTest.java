package io.millrace.os;

import static io.millrace.os.Constants.SCM_MAX_FD;
import static io.millrace.os.Constants.SOCK_SEQPACKET;
import static io.millrace.os.Descriptors.ok;
import static io.millrace.os.TestedConstants.FD_CLOEXEC;
import static io.millrace.os.TestedConstants.F_GETFD;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class DescriptorMessageTest {
    private final Descriptors descriptors = new Descriptors();
    private final Linux linux = descriptors.linux;
    private final DescriptorMessage message = new DescriptorMessage();
    private final int[] pair = pair();

    private int[] pair() {
        var both = new int[2];
        ok(linux.socketpair(SOCK_SEQPACKET, both));
        descriptors.opened(both[0]);
        descriptors.opened(both[1]);
        return both;
    }

    @AfterEach
    void close() {
        descriptors.close();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(US_ASCII);
    }

    private void send(String text, List<Integer> with) {
        message.fill(bytes(text), with);
        assertEquals(text.length(), linux.sendmsg(pair[0], message));
    }

    private List<Integer> received(String text) {
        assertEquals(text.length(), linux.recvmsg(pair[1], message));
        assertArrayEquals(bytes(text), message.content());
        assertFalse(message.isCut());
        var all = message.descriptors();
        all.forEach(descriptors::opened);
        return all;
    }

    @Test
    void a_descriptor_that_arrives_is_of_the_same_file_and_ends_with_the_program() {
        int counter = descriptors.eventfd();
        send("one", List.of(counter));
        var arrived = received("one");
        assertEquals(1, arrived.size());
        assertTrue(Linux.eventfdWrite(counter));
        assertEquals(1, linux.eventfdRead(arrived.getFirst()));
        assertEquals(FD_CLOEXEC, linux.fcntl(arrived.getFirst(), F_GETFD, 0));
    }

    @Test
    void a_message_takes_as_many_as_the_kernel_does() {
        int counter = descriptors.eventfd();
        send("many", Collections.nCopies(SCM_MAX_FD, counter));
        assertEquals(SCM_MAX_FD, received("many").size());
        assertThrows(
                IllegalArgumentException.class,
                () -> message.fill(bytes("more"), Collections.nCopies(SCM_MAX_FD + 1, counter)));
    }

    @Test
    void a_message_without_descriptors_brings_none_of_the_one_before() {
        send("one", List.of(descriptors.eventfd()));
        send("two", List.of());
        assertEquals(1, received("one").size());
        assertEquals(List.of(), received("two"));
        assertEquals(-Errno.EAGAIN, linux.recvmsg(pair[1], message));
        assertEquals(List.of(), message.descriptors());
    }

    @Test
    void a_message_that_is_too_long_is_cut_and_says_so() {
        var memory = descriptors.memory(DescriptorMessage.MOST_BYTES + 1);
        assertEquals(
                DescriptorMessage.MOST_BYTES + 1,
                linux.send(pair[0], memory.address(), DescriptorMessage.MOST_BYTES + 1));
        assertEquals(DescriptorMessage.MOST_BYTES, linux.recvmsg(pair[1], message));
        assertTrue(message.isCut());
    }

    @Test
    void the_peer_is_this_process() {
        var pidUidGid = new int[3];
        ok(linux.getPeer(pair[0], pidUidGid));
        assertEquals(ProcessHandle.current().pid(), pidUidGid[0]);
        assertEquals(linux.geteuid(), pidUidGid[1]);
    }

    @Test
    void a_blocking_receive_ends_when_its_time_is_over() {
        ok(linux.fcntl(pair[1], Constants.F_SETFL, 0));
        ok(linux.setTimeouts(pair[1], 1));
        assertEquals(-Errno.EAGAIN, linux.recvmsg(pair[1], message));
    }
}
