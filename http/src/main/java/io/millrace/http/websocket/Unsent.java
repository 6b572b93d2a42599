package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;

/// What one socket has not sent yet, in the order in which it will be. Used under the lock of [SendQueue], which
/// it is part of so that an idle socket has fewer objects.
///
/// ```
///   control frames, parts ────────────────────────────► waiting ─► next
///   whole messages ─┬───────────────────────────────────► ▲
///                   └─ within a message in parts ─► behind ┘ at its last part
///   a message with a key takes the place of the one that waits with the same key
/// ```
abstract class Unsent extends ShortQueue<Object> {
    /// Heap used by a message besides its bytes.
    private static final long MESSAGE_BYTES = 64;

    /// The same for its key.
    private static final long KEY_BYTES = 64;

    private @Nullable Behind behind;
    private @Nullable HashMap<String, Keyed> newest;

    /// The last one of those that wait.
    private Control.@Nullable Pong pong;

    private long bytes;
    private long missed;
    private boolean isWithinParts;
    private boolean areTexts;

    /// A control frame.
    sealed interface Control {
        record Ping() implements Control {}

        record Pong(Bytes payload) implements Control {}

        record Close(int code, String reason) implements Control {}
    }

    /// Of a message in parts.
    record Part(Bytes bytes, boolean isText, boolean isLast) {}

    /// A frame of a whole message that several sockets share ([io.millrace.http.ws.WsWriter#encode]).
    record SharedFrame(Bytes frame) {}

    /// A message that a newer one replaces.
    private static final class Keyed {
        private final String key;
        private Object message;
        private boolean isBehind;

        Keyed(String key, Object message) {
            this.key = key;
            this.message = message;
        }
    }

    /// Whole messages that wait for the last part of another one.
    private static final class Behind extends ShortQueue<Object> {
        private long bytes;
    }

    static long weight(Object message) {
        return MESSAGE_BYTES
                + switch (message) {
                    case String text -> text.length();
                    case Bytes bytes -> bytes.length();
                    case SharedFrame(var frame) -> frame.length();
                    case Part part -> part.bytes.length();
                    case Control.Pong(var payload) -> payload.length();
                    case Keyed keyed -> KEY_BYTES + keyed.key.length() + weight(keyed.message);
                    default -> 0;
                };
    }

    // Adding.

    /// A control frame, which may go between the parts of a message.
    /// Of several pongs only the last one is sent.
    final void control(Control frame) {
        boolean isAnotherPong = pong != null && frame instanceof Control.Pong;
        if (frame instanceof Control.Pong newer) pong = newer;
        if (isAnotherPong) return;
        bytes += weight(frame);
        add(frame);
    }

    final void whole(Object message) {
        bytes += weight(message);
        if (!isWithinParts) {
            add(message);
            return;
        }
        if (behind == null) behind = new Behind();
        behind.add(message);
        behind.bytes += weight(message);
    }

    /// A whole message that takes the place of the one with this key, if it still waits.
    final void newest(String key, Object message) {
        if (newest == null) newest = new HashMap<>();
        var known = newest.get(key);
        if (known == null) {
            var keyed = new Keyed(key, message);
            keyed.isBehind = isWithinParts;
            newest.put(key, keyed);
            whole(keyed);
            return;
        }
        long more = weight(message) - weight(known.message);
        known.message = message;
        bytes += more;
        if (known.isBehind && behind != null) behind.bytes += more;
        miss();
    }

    /// @throws IllegalStateException if the message has begun with parts of the other kind
    final void part(Part part) {
        if (isWithinParts && areTexts != part.isText)
            throw new IllegalStateException("a message in parts of text and of bytes: it is of one kind");
        isWithinParts = !part.isLast;
        areTexts = part.isText;
        bytes += weight(part);
        add(part);
        if (part.isLast && behind != null) goOn(behind);
    }

    private void goOn(Behind those) {
        behind = null;
        for (var next = those.poll(); next != null; next = those.poll()) {
            if (next instanceof Keyed keyed) keyed.isBehind = false;
            add(next);
        }
    }

    // Taking.

    /// The message, part or frame to send next; null if there is none.
    @Nullable
    final Object next() {
        var next = poll();
        if (next == null) return null;
        bytes -= weight(next);
        return next instanceof Control.Pong first ? lastPong(first) : unkeyed(next);
    }

    private Control.Pong lastPong(Control.Pong first) {
        var last = pong;
        pong = null;
        return last == null ? first : last;
    }

    private Object unkeyed(Object next) {
        if (!(next instanceof Keyed keyed)) return next;
        if (newest != null) newest.remove(keyed.key);
        if (newest != null && newest.isEmpty()) newest = null;
        return keyed.message;
    }

    /// Drops the oldest whole messages until no more than this waits.
    ///
    /// @return false if what may not be dropped is too much
    final boolean dropTo(long mostBytes) {
        while (bytes > mostBytes) {
            var old = pollIf(Unsent::isWhole);
            if (old == null && behind != null) {
                old = behind.pollIf(Unsent::isWhole);
                if (old != null) behind.bytes -= weight(old);
            }
            if (old == null) return false;
            bytes -= weight(old);
            miss();
            unkeyed(old);
        }
        return true;
    }

    private static boolean isWhole(Object each) {
        return !(each instanceof Control) && !(each instanceof Part);
    }

    /// Drops all.
    @Override
    void clear() {
        super.clear();
        behind = null;
        newest = null;
        bytes = 0;
    }

    final long bytes() {
        return bytes;
    }

    /// Of whole messages that wait for the last part of another one.
    final long behindBytes() {
        return behind == null ? 0 : behind.bytes;
    }

    final void miss() {
        missed++;
    }

    /// Messages that were dropped or replaced.
    long missed() {
        return missed;
    }
}
