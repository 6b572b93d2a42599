package io.millrace.http.h2;

import io.millrace.http.HttpLimits;
import org.jspecify.annotations.Nullable;

/// What connections need during a call and not between calls: one for each loop.
final class LoopScratch {
    /// Collects frames until they go to their connection's output.
    final HpackBlock text = new HpackBlock();

    final HpackScratch hpack = new HpackScratch();
    final FieldCollector fields;

    private byte[] bytes = new byte[Http2Codes.MOST_BYTES];
    private @Nullable FrameWriter writer;

    LoopScratch(HttpLimits limits) {
        this.fields = new FieldCollector(limits);
    }

    /// For a frame's payload.
    byte[] bytes(int length) {
        if (length > bytes.length) bytes = new byte[length];
        return bytes;
    }

    /// Whose frames are in [#text].
    @SuppressWarnings("ReferenceEquality") // the object itself
    boolean isWriter(FrameWriter asking) {
        return writer == asking;
    }

    /// A call may lead to one of another connection: what was collected for the first goes to its output.
    @SuppressWarnings("ReferenceEquality") // the object itself
    void becomesWriter(FrameWriter next) {
        var before = writer;
        if (before == next) return;
        if (before != null) before.leave();
        writer = next;
    }
}
