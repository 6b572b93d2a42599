package io.millrace.http.memory;

import io.millrace.Tcp;
import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.net.Connection;
import io.millrace.net.Handler;
import io.millrace.sim.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Clients of WebSocket on a simulated network. They answer a close frame, and note what it said and when it came.
public final class SocketCrowd {
    private static final String ASKING = """
            GET / HTTP/1.1\r
            Host: a\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Protocol: chat\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r
            """;

    private final Simulation network;
    private final int port;
    private final List<Member> members = new ArrayList<>();
    private Duration began = Duration.ZERO;

    public SocketCrowd(Simulation network, int port) {
        this.network = network;
        this.port = port;
    }

    /// So many more, once the network has run.
    public void join(int count) {
        for (int i = 0; i < count; i++) {
            var _ = Tcp.connect(network.to(port), connection -> {
                var member = new Member(connection);
                members.add(member);
                return member;
            });
        }
    }

    /// Each shows that it is there; after that, no loop is behind the time of the network.
    public void ping() {
        for (var member : members)
            member.connection.write(Bytes.of((byte) 0x89, (byte) 0x80, (byte) 0, (byte) 0, (byte) 0, (byte) 0));
    }

    /// How many were answered with each status line; an empty one for those that were not.
    public Map<String, Long> answers() {
        return members.stream()
                .collect(Collectors.groupingBy(
                        member -> member.head.toString().lines().findFirst().orElse(""), Collectors.counting()));
    }

    /// Seconds count from now.
    public void drainBegins() {
        began = network.now();
    }

    /// How many got a close frame with this code in each second since [#drainBegins].
    public int[] told(int code, int seconds) {
        var counts = new int[seconds];
        for (var member : members)
            if (member.code == code) counts[(int) member.told.minus(began).toSeconds()]++;
        return counts;
    }

    /// How many connections have ended without a close frame.
    public long cut() {
        return members.stream()
                .filter(member -> member.isClosed && member.code == 0)
                .count();
    }

    private final class Member implements Handler {
        private final Connection connection;
        private final StringBuilder head = new StringBuilder();
        private int code;
        private Duration told = Duration.ZERO;
        private boolean isClosed;

        Member(Connection connection) {
            this.connection = connection;
            connection.output().writeUtf8(ASKING);
        }

        @Override
        public void onInput(Input in) {
            while (!in.isEmpty() && head.indexOf("\r\n\r\n") < 0) head.append((char) (in.readByte() & 0xff));
            while (in.remaining() >= 2 && in.remaining() >= 2 + in.peekByte(1)) frame(in);
        }

        /// A short one.
        private void frame(Input in) {
            int first = in.readUnsignedByte();
            int length = in.readUnsignedByte();
            var payload = in.readBytes(length);
            if (first != 0x88 || code != 0) return;
            code = payload.length() < 2 ? 1005 : (payload.at(0) & 0xff) << 8 | (payload.at(1) & 0xff);
            told = network.now();
            connection.output().write(Bytes.of((byte) 0x88, (byte) 0x82, (byte) 0, (byte) 0, (byte) 0, (byte) 0));
            connection.output().writeShort(code);
        }

        @Override
        public void onEnd(Connection ended) {
            ended.close();
        }

        @Override
        public void onClose(@Nullable IOException cause) {
            isClosed = true;
        }
    }
}
