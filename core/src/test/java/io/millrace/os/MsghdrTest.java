package io.millrace.os;

import static io.millrace.os.Constants.IOV_MAX;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_SNDBUF;
import static io.millrace.os.Descriptors.ok;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class MsghdrTest {
    private final Descriptors descriptors = new Descriptors();
    private final Linux linux = descriptors.linux;

    @AfterEach
    void close() {
        descriptors.close();
    }

    @Test
    void blocks_are_gathered_in_order() {
        int[] pair = descriptors.socketpair();
        MemorySegment memory = descriptors.memory(16);
        memory.asByteBuffer().put("netmillrace".getBytes(US_ASCII));
        long address = memory.address();
        var message = new Msghdr(3);
        message.add(address + 3, 4);
        message.add(address, 0);
        message.add(address + 7, 4);
        assertTrue(message.isFull());
        assertEquals(8, message.lengthBytes());
        assertEquals(8, linux.sendmsg(pair[0], message));
        assertEquals("millrace", received(pair[1], 8));

        message.clear();
        message.add(address, 3);
        assertEquals(1, message.count());
        assertEquals(3, linux.sendmsg(pair[0], message));
        assertEquals("net", received(pair[1], 3));
    }

    private String received(int fd, int lengthBytes) {
        MemorySegment memory = descriptors.memory(64);
        assertEquals(lengthBytes, linux.recv(fd, memory.address(), 64));
        return new String(RawMemory.getBytes(memory.address(), lengthBytes), US_ASCII);
    }

    @Test
    void as_many_blocks_as_the_kernel_takes_arrive_whole_through_partial_sends() {
        int[] pair = descriptors.socketpair();
        ok(linux.setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, 32 * 1024));
        var sent = new byte[IOV_MAX * 300];
        new Random(42).nextBytes(sent);
        MemorySegment memory = descriptors.memory(sent.length);
        MemorySegment.copy(sent, 0, memory, JAVA_BYTE, 0, sent.length);

        var received = new ByteArrayOutputStream();
        var message = new Msghdr(IOV_MAX);
        int done = 0;
        int partial = 0;
        int full = 0;
        while (done < sent.length) {
            fill(message, memory, done);
            int count = linux.sendmsg(pair[0], message);
            if (count == -Errno.EAGAIN) {
                full++;
                drain(pair[1], received);
                continue;
            }
            partial += ok(count) < message.lengthBytes() ? 1 : 0;
            done += count;
        }
        drain(pair[1], received);
        assertArrayEquals(sent, received.toByteArray());
        assertTrue(partial > 0 && full > 0, partial + " partial sends, " + full + " times full");
    }

    /// Blocks of 300 bytes from `offset` to the end, the first one cut where the last send ended.
    private static void fill(Msghdr message, MemorySegment memory, int offset) {
        message.clear();
        int at = offset;
        while (at < memory.byteSize()) {
            int length = 300 - at % 300;
            message.add(memory.address() + at, length);
            at += length;
        }
    }

    private void drain(int fd, ByteArrayOutputStream to) {
        MemorySegment memory = descriptors.memory(4096);
        int count = linux.recv(fd, memory.address(), 4096);
        while (count > 0) {
            to.writeBytes(RawMemory.getBytes(memory.address(), count));
            count = linux.recv(fd, memory.address(), 4096);
        }
        assertEquals(-Errno.EAGAIN, count);
    }

    @Test
    void more_blocks_than_the_kernel_takes_are_refused() {
        var refused = assertThrows(IllegalArgumentException.class, () -> new Msghdr(IOV_MAX + 1));
        assertTrue(refused.toString().contains("capacity 1025"), refused.toString());
        assertThrows(IllegalArgumentException.class, () -> new Msghdr(0));
    }

    @Test
    void a_full_message_takes_no_more() {
        var message = new Msghdr(1);
        message.add(0, 0);
        assertThrows(IllegalStateException.class, () -> message.add(0, 0));
    }
}
