package io.millrace.testing;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/// The ear of a service manager: a Unix socket of datagrams, which the JDK does not have. One thread.
public final class NoticeListener implements AutoCloseable {
    private static final int AF_UNIX = 1;
    private static final int SOCK_DGRAM_CLOEXEC = 0x80002;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int MOST_BYTES = 4096;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment buffer = arena.allocate(MOST_BYTES, 8);
    private final int fd;

    /// @param name a path, or `@` and an abstract name
    public NoticeListener(String name, Duration patience) throws IOException {
        fd = (int) call("socket", AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
        var bytes = name.getBytes(StandardCharsets.UTF_8);
        var address = arena.allocate(2 + bytes.length + 1L, 8);
        address.asByteBuffer()
                .order(ByteOrder.nativeOrder())
                .putShort((short) AF_UNIX)
                .put(bytes);
        boolean isAbstract = name.startsWith("@");
        if (isAbstract) address.asByteBuffer().put(2, (byte) 0);
        if (call("bind", fd, address, 2L + bytes.length + (isAbstract ? 0 : 1)) != 0)
            throw new IOException("cannot bind to " + name);
        var time = arena.allocate(MemoryLayout.sequenceLayout(2, JAVA_LONG));
        time.setAtIndex(JAVA_LONG, 0, patience.toSeconds());
        if (call("setsockopt", fd, SOL_SOCKET, SO_RCVTIMEO, time, 16L) != 0) throw new IOException("no patience");
    }

    /// Waits for the next message: its variables in their order.
    public Map<String, String> next() throws IOException {
        long length = call("recv", fd, buffer, (long) MOST_BYTES, 0L);
        if (length < 0) throw new IOException("no message came");
        var bytes = new byte[(int) length];
        buffer.asByteBuffer().get(bytes);
        var variables = new LinkedHashMap<String, String>();
        for (var line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
            int equals = line.indexOf('=');
            variables.put(line.substring(0, equals), line.substring(equals + 1));
        }
        return variables;
    }

    @SuppressWarnings("restricted")
    private static long call(String name, Object... arguments) throws IOException {
        var layouts = new MemoryLayout[arguments.length];
        for (int i = 0; i < arguments.length; i++) layouts[i] = layout(arguments[i]);
        var linker = Linker.nativeLinker();
        var function = linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(JAVA_LONG, layouts));
        try {
            // Those that return an int leave the upper half as it was.
            long result = (long) function.invokeWithArguments(arguments);
            return name.equals("recv") ? result : (int) result;
        } catch (Throwable e) {
            throw new IOException(name, e);
        }
    }

    private static MemoryLayout layout(Object argument) {
        return switch (argument) {
            case Integer _ -> JAVA_INT;
            case Long _ -> JAVA_LONG;
            default -> ADDRESS;
        };
    }

    @Override
    public void close() throws IOException {
        call("close", fd);
        arena.close();
    }
}
