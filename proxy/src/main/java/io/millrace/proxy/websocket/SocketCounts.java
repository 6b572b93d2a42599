package io.millrace.proxy.websocket;

import io.millrace.http.ws.WsCodes;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ObjLongConsumer;

/// Counts of the WebSockets of an upstream, while they last. Any thread.
public final class SocketCounts {
    /// Codes of applications count together by their thousand, and those that may not be sent as others: peers choose
    /// them, and each is a row in the metrics for ever.
    private static final int FIRST_OF_APPLICATIONS = 3000;

    private final LongAdder opened = new LongAdder();
    private final LongAdder ended = new LongAdder();
    private final ConcurrentSkipListMap<ClosedAs, LongAdder> closed = new ConcurrentSkipListMap<>();

    /// What clients have sent.
    private final PassedBytes fromClients = new PassedBytes();

    private final PassedBytes fromBackends = new PassedBytes();

    /// How some have ended.
    ///
    /// @param code as RFC 6455 has it, `none` without one, `3xxx` or `4xxx` for those of applications, `other` for
    ///     those that mean nothing
    public record ClosedAs(ClosedBy by, String code) implements Comparable<ClosedAs> {
        @Override
        public int compareTo(ClosedAs other) {
            int byWhom = by.compareTo(other.by);
            return byWhom != 0 ? byWhom : code.compareTo(other.code);
        }
    }

    /// What passed in one direction.
    public static final class PassedBytes {
        private final LongAdder bytes = new LongAdder();
        private final LongAdder messages = new LongAdder();

        void add(long someBytes, long someMessages) {
            bytes.add(someBytes);
            if (someMessages > 0) messages.add(someMessages);
        }

        /// Of frames, their headers included.
        public long bytes() {
            return bytes.sum();
        }

        /// Whole ones, of text and of bytes.
        public long messages() {
            return messages.sum();
        }
    }

    void opened() {
        opened.increment();
    }

    /// @param code of the first close frame
    void closed(ClosedBy by, int code) {
        ended.increment();
        closed.computeIfAbsent(new ClosedAs(by, word(code)), _ -> new LongAdder())
                .increment();
    }

    private static String word(int code) {
        if (code == WsCodes.NONE || code == WsCodes.ABNORMAL) return "none";
        if (!WsCodes.mayBeSent(code)) return "other";
        return code < FIRST_OF_APPLICATIONS ? "" + code : code / 1000 + "xxx";
    }

    public long total() {
        return opened.sum();
    }

    /// Open now.
    public long open() {
        // In this order: one that closes meanwhile is not counted twice.
        long over = ended.sum();
        return Math.max(0, opened.sum() - over);
    }

    /// Visits how many have ended, and how.
    public void forEachClosed(ObjLongConsumer<ClosedAs> visitor) {
        closed.forEach((as, count) -> visitor.accept(as, count.sum()));
    }

    public PassedBytes fromClients() {
        return fromClients;
    }

    public PassedBytes fromBackends() {
        return fromBackends;
    }
}
