package io.millrace.os;

import static io.millrace.os.Constants.MSG_CTRUNC;
import static io.millrace.os.Constants.MSG_TRUNC;
import static io.millrace.os.Constants.SCM_MAX_FD;
import static io.millrace.os.Constants.SCM_RIGHTS;
import static io.millrace.os.Constants.SOL_SOCKET;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/// A message of a Unix socket with its descriptors (`SCM_RIGHTS`, unix(7)): a buffer in native memory, filled
/// in place and reused, by one thread.
///
/// Descriptors that [Linux#recvmsg] has put here belong to this process; they are close-on-exec, and the caller
/// must close them.
public final class DescriptorMessage {
    /// The longest message.
    public static final int MOST_BYTES = 4096;

    // cmsg(3) as the kernel lays it out on any 64-bit machine: length, level, type, data
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;
    private static final int CONTROL_SIZE = CMSG_DATA + aligned(SCM_MAX_FD * Integer.BYTES);
    private static final int MSG_CONTROL = 32;
    private static final int MSG_CONTROLLEN = 40;
    private static final int MSG_FLAGS = 48;

    private final MemorySegment memory; // kept because the address does not keep it
    private final long message;
    private final long iovec;
    private final long control;
    private final long bytes;
    private int received;

    public DescriptorMessage() {
        memory = Arena.ofAuto().allocate(Msghdr.MSGHDR_SIZE + Msghdr.IOVEC_SIZE + CONTROL_SIZE + MOST_BYTES, 8);
        message = memory.address();
        iovec = message + Msghdr.MSGHDR_SIZE;
        control = iovec + Msghdr.IOVEC_SIZE;
        bytes = control + CONTROL_SIZE;
        RawMemory.putLong(message + Msghdr.MSG_IOV, iovec);
        RawMemory.putLong(message + Msghdr.MSG_IOVLEN, 1);
        RawMemory.putLong(iovec + Msghdr.IOV_BASE, bytes);
        RawMemory.putLong(message + MSG_CONTROL, control);
    }

    private static int aligned(int length) {
        return (length + 7) & ~7;
    }

    /// What to send: 1 to 4096 bytes, and at most 253 descriptors (`SCM_MAX_FD`).
    public void fill(byte[] content, List<Integer> descriptors) {
        if (content.length < 1 || content.length > MOST_BYTES) {
            throw new IllegalArgumentException("a message of " + content.length + " bytes: it has 1 to " + MOST_BYTES);
        }
        if (descriptors.size() > SCM_MAX_FD) {
            throw new IllegalArgumentException(descriptors.size() + " descriptors for one message: the kernel takes "
                    + SCM_MAX_FD + ", send the others with the next one");
        }
        RawMemory.putBytes(bytes, content);
        RawMemory.putLong(iovec + Msghdr.IOV_LEN, content.length);
        int length = descriptors.size() * Integer.BYTES;
        RawMemory.putLong(message + MSG_CONTROLLEN, descriptors.isEmpty() ? 0 : CMSG_DATA + aligned(length));
        RawMemory.putLong(control, CMSG_DATA + length);
        RawMemory.putInt(control + CMSG_LEVEL, SOL_SOCKET);
        RawMemory.putInt(control + CMSG_TYPE, SCM_RIGHTS);
        for (int i = 0; i < descriptors.size(); i++) {
            RawMemory.putInt(control + CMSG_DATA + (long) i * Integer.BYTES, descriptors.get(i));
        }
    }

    /// Makes the whole place available to a message that arrives.
    void clear() {
        received = 0;
        RawMemory.putLong(iovec + Msghdr.IOV_LEN, MOST_BYTES);
        RawMemory.putLong(message + MSG_CONTROLLEN, CONTROL_SIZE);
        RawMemory.putInt(message + MSG_FLAGS, 0);
    }

    void received(int count) {
        received = Math.max(count, 0);
        if (count < 0) RawMemory.putLong(message + MSG_CONTROLLEN, 0);
    }

    /// The bytes that arrived last.
    public byte[] content() {
        return RawMemory.getBytes(bytes, received);
    }

    /// Whether part of what arrived last did not fit here and is lost.
    public boolean isCut() {
        return (RawMemory.getInt(message + MSG_FLAGS) & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    }

    /// The descriptors that arrived with it; also those of a truncated message.
    public List<Integer> descriptors() {
        var all = new ArrayList<Integer>();
        long end = control + RawMemory.getLong(message + MSG_CONTROLLEN);
        for (long header = control; end - header >= CMSG_DATA; ) {
            long length = RawMemory.getLong(header);
            if (length < CMSG_DATA || length > end - header) break;
            boolean isRights = RawMemory.getInt(header + CMSG_LEVEL) == SOL_SOCKET
                    && RawMemory.getInt(header + CMSG_TYPE) == SCM_RIGHTS;
            for (long at = CMSG_DATA; isRights && at + Integer.BYTES <= length; at += Integer.BYTES) {
                all.add(RawMemory.getInt(header + at));
            }
            header += aligned((int) length);
        }
        return all;
    }

    long address() {
        return message;
    }
}
