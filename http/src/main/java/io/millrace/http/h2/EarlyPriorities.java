package io.millrace.http.h2;

import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How urgent a client says that streams are which it has not opened yet (RFC 9218 section 7.1).
final class EarlyPriorities {
    private final TreeMap<Integer, Priority> byId = new TreeMap<>();

    /// What a client says last of a stream counts.
    ///
    /// @param lastOpenedId up to this one streams are not idle any more (RFC 9113 section 5.1.1)
    /// @throws Http2Error if a client cannot open this stream, or not so many
    void put(int id, Priority priority, int lastOpenedId) throws Http2Error {
        if ((id & 1) == 0) throw Http2Error.protocol("PRIORITY_UPDATE for a push");
        byId.headMap(lastOpenedId, true).clear();
        byId.put(id, priority);
        // Less than the RFC forbids: how many a client may take for open is not known here.
        if (byId.size() > ServerConnection.MOST_STREAMS)
            throw Http2Error.protocol("PRIORITY_UPDATE for too many streams");
    }

    /// The stream is opened.
    ///
    /// @return null if nothing was said of it
    @Nullable
    Priority take(int id) {
        return byId.remove(id);
    }
}
