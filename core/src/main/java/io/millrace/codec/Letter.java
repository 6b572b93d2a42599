package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// A message of a group, and its frames: each encoding makes one, which all loops share. Any thread.
final class Letter<M> {
    /// Heap used by a letter, or a frame of it, besides its bytes.
    private static final int OBJECT_BYTES = 64;

    private final M message;
    private final AtomicReference<@Nullable Framed<M>> frames = new AtomicReference<>();

    /// The [#weight] that a history has counted; guarded by the group.
    long counted;

    /// A list of frames.
    private record Framed<M>(
            Encoding<M> encoding, Bytes frame, @Nullable Framed<M> next) {}

    Letter(M message) {
        this.message = message;
    }

    /// The frame for an encoding, which is made if it is not there yet.
    ///
    /// @throws IllegalArgumentException when the message cannot be sent this way
    Bytes frame(Encoding<M> encoding, EventLoop lender) {
        var known = find(frames.get(), encoding);
        return known != null ? known : add(encoding, encoding.frame(lender, message));
    }

    private static <M> @Nullable Bytes find(@Nullable Framed<M> in, Encoding<M> encoding) {
        for (var next = in; next != null; next = next.next) {
            if (next.encoding.equals(encoding)) return next.frame;
        }
        return null;
    }

    private Bytes add(Encoding<M> encoding, Bytes frame) {
        while (true) {
            var before = frames.get();
            var other = find(before, encoding);
            if (other != null) return other;
            if (frames.compareAndSet(before, new Framed<>(encoding, frame, before))) return frame;
        }
    }

    /// Bytes of its frames.
    long bytes() {
        long bytes = 0;
        for (var next = frames.get(); next != null; next = next.next) bytes += next.frame.length();
        return bytes;
    }

    // For a history.

    /// Drops the frame for an encoding.
    void forget(Encoding<M> encoding) {
        frames.updateAndGet(all -> without(all, encoding));
    }

    private static <M> @Nullable Framed<M> without(@Nullable Framed<M> in, Encoding<M> encoding) {
        if (in == null) return null;
        var rest = without(in.next, encoding);
        return in.encoding.equals(encoding) ? rest : new Framed<>(in.encoding, in.frame, rest);
    }

    /// What it takes, as far as that is known: the message itself, if it is text or bytes, and its frames.
    long weight() {
        long weight = (long) OBJECT_BYTES + (message instanceof CharSequence text ? text.length() : 0);
        if (message instanceof Bytes bytes) weight += bytes.length();
        for (var next = frames.get(); next != null; next = next.next) weight += OBJECT_BYTES + next.frame.length();
        return weight;
    }
}
