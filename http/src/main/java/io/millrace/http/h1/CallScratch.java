package io.millrace.http.h1;

import io.millrace.http.HttpLimits;
import org.jspecify.annotations.Nullable;

/// What a connection needs during a call and not between calls: the loop's, or, where calls can stop in the middle,
/// the connection's own.
final class CallScratch {
    /// Collects small pieces of output.
    final WireText text;

    private final HttpLimits limits;

    /// Where heads are read; empty if there is none for all calls.
    private final byte[] bytes;

    /// The one that the last call left; a connection in the middle of a head keeps its own.
    private @Nullable HeadReader<RequestHead> spare;

    CallScratch(HttpLimits limits, byte[] bytes, WireText text) {
        this.limits = limits;
        this.bytes = bytes;
        this.text = text;
    }

    HeadReader<RequestHead> takeReader() {
        var reader = spare;
        spare = null;
        return reader != null ? reader : new HeadReader<>(new RequestHead(limits), limits, bytes);
    }

    /// What it has found is over, or has been copied.
    void giveReader(HeadReader<RequestHead> reader) {
        reader.done();
        spare = reader;
    }
}
