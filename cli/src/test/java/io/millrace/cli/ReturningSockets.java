package io.millrace.cli;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Tcp;
import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.testing.Waiting;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Clients of WebSocket, put together from bytes, that answer a close frame, and come back once. Some are silent, and
/// some send a message whenever the last one has come back. A connection that ends without a close frame is noted.
final class ReturningSockets implements AutoCloseable {
    /// So many connect at a time.
    private static final int AT_A_TIME = 100;

    private static final Duration PACE = Duration.ofMillis(20);
    private static final String ASKING =
            "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13"
                    + "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String HELLO = "hello";

    private final EventLoops loops = EventLoops.of(1);
    private final Connect to;
    private final int all;
    private final int busy;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger servedAgain = new AtomicInteger();
    private final AtomicInteger messages = new AtomicInteger();
    private final Map<Integer, Integer> codes = new ConcurrentHashMap<>();
    private final ConcurrentLinkedQueue<Long> toldNanos = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private volatile boolean isOver;

    private ReturningSockets(int port, int idle, int busy) {
        this.to = Connect.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .loops(loops)
                .timeout(Duration.ofSeconds(60));
        this.all = idle + busy;
        this.busy = busy;
    }

    static ReturningSockets of(int port, int idle, int busy) {
        var made = new ReturningSockets(port, idle, busy);
        for (int i = 0; i < AT_A_TIME; i++) made.next();
        return made;
    }

    private void next() {
        int number = begun.getAndIncrement();
        if (number < all) connect(number < busy, false);
    }

    private void connect(boolean isBusy, boolean isAgain) {
        var _ = Tcp.connect(to, connection -> new Socket(connection, isBusy, isAgain))
                .whenComplete((_, failure) -> {
                    if (failure != null && !isOver) failures.add("not connected: " + failure);
                });
    }

    /// Waits until each one has got a message back.
    void awaitServed() {
        await(served);
    }

    /// Waits until each one has come back, and has got a message back again.
    void awaitServedAgain() {
        await(servedAgain);
    }

    private void await(AtomicInteger count) {
        while (count.get() < all && failures.isEmpty()) Waiting.briefly();
    }

    int messages() {
        return messages.get();
    }

    /// What was wrong.
    List<String> failures() {
        return List.copyOf(failures);
    }

    /// How many got each code.
    Map<Integer, Integer> codes() {
        return Map.copyOf(codes);
    }

    /// How many were told to go in each second, from the first one on.
    List<Integer> toldBySecond() {
        var counts = new ArrayList<Integer>();
        long first = toldNanos.stream().mapToLong(Long::longValue).min().orElse(0);
        for (var told : toldNanos) {
            int second = (int) ((told - first) / 1_000_000_000L);
            while (counts.size() <= second) counts.add(0);
            counts.set(second, counts.get(second) + 1);
        }
        return counts;
    }

    @Override
    public void close() {
        isOver = true;
        loops.close();
    }

    private final class Socket implements Handler {
        private final Connection connection;
        private final boolean isBusy;
        private final boolean isAgain;
        private final StringBuilder head = new StringBuilder();
        private boolean isServed;
        private int code;

        Socket(Connection connection, boolean isBusy, boolean isAgain) {
            this.connection = connection;
            this.isBusy = isBusy;
            this.isAgain = isAgain;
            connection.output().writeUtf8(ASKING);
        }

        @Override
        public void onInput(Input in) {
            if (!isOpen()) {
                while (!in.isEmpty() && !isOpen()) head.append((char) (in.readByte() & 0xff));
                if (isOpen() && !head.toString().startsWith("HTTP/1.1 101 "))
                    failures.add("answered with " + head.substring(0, head.indexOf("\r\n")));
                if (isOpen()) send(0x81, HELLO);
            }
            while (in.remaining() >= 2 && in.remaining() >= 2 + in.peekByte(1)) frame(in);
        }

        private boolean isOpen() {
            return head.indexOf("\r\n\r\n") >= 0;
        }

        private void frame(Input in) {
            int first = in.readUnsignedByte();
            var payload = text(in, in.readUnsignedByte());
            switch (first) {
                case 0x81 -> message(payload);
                case 0x89 -> send(0x8a, payload);
                case 0x88 -> closing(payload);
                default -> failures.add("a frame that begins with " + first);
            }
        }

        /// A character for each byte.
        private static String text(Input in, int length) {
            return new String(in.readBytes(length).toArray(), StandardCharsets.ISO_8859_1);
        }

        private void message(String text) {
            if (!text.equals(HELLO)) failures.add("a message: " + text);
            messages.incrementAndGet();
            if (!isServed) {
                isServed = true;
                (isAgain ? servedAgain : served).incrementAndGet();
                if (!isAgain) next();
            }
            if (isBusy) {
                var _ = connection.loop().after(PACE, () -> {
                    if (code == 0) send(0x81, HELLO);
                });
            }
        }

        private void closing(String payload) {
            code = payload.length() < 2 ? 1005 : payload.charAt(0) << 8 | payload.charAt(1);
            codes.merge(code, 1, Integer::sum);
            toldNanos.add(System.nanoTime());
            send(0x88, payload.substring(0, Math.min(2, payload.length())));
        }

        /// With a mask of zeros.
        private void send(int first, String payload) {
            var out = connection.output();
            out.writeByte(first).writeByte(0x80 | payload.length()).writeInt(0);
            for (int i = 0; i < payload.length(); i++) out.writeByte(payload.charAt(i));
        }

        @Override
        public void onEnd(Connection ended) {
            ended.close();
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            if (isOver) return;
            if (code == 0) failures.add("ended without a close frame: " + cause);
            else if (isAgain) failures.add("told to go again, with " + code);
            else connect(isBusy, true);
        }
    }
}
