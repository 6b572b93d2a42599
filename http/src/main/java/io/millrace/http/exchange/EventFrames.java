package io.millrace.http.exchange;

import io.millrace.bytes.Bytes;
import io.millrace.http.message.EventText;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import java.util.Optional;

/// Events of one name that streams of a group share.
record EventFrames(Optional<String> name) implements Encoding<String> {
    static final EventFrames UNNAMED = new EventFrames(Optional.empty());

    /// Events with a name.
    ///
    /// @throws IllegalArgumentException for a name that contains a line end
    static EventFrames named(String name) {
        var _ = EventText.of(name, "");
        return new EventFrames(Optional.of(name));
    }

    @Override
    public Bytes frame(EventLoop lender, String data) {
        return Bytes.utf8(name.map(event -> EventText.of(event, data)).orElseGet(() -> EventText.of(data)));
    }
}
