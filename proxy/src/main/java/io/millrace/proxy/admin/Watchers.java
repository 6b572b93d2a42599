package io.millrace.proxy.admin;

import io.millrace.http.EventStream;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.proxy.announce.ProxyGuards;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/// The browsers that get each sample. Any thread.
final class Watchers {
    /// The most of them (`admin.watchers` in `docs/limits.md`).
    static final int MOST = 16;

    private static final Response FULL = Response.status(503).setHeader("Retry-After", "5");

    private final Set<EventStream> streams = ConcurrentHashMap.newKeySet();
    private final Supplier<String> history;
    private final Supplier<String> state;

    /// @param history the first event of each stream
    /// @param state the events that follow
    Watchers(Supplier<String> history, Supplier<String> state) {
        this.history = history;
        this.state = state;
    }

    Response answer(Request request) {
        if (streams.size() < MOST) return Response.events(this::add);
        ProxyGuards.ADMIN_WATCHERS.acted(request.remote(), "more than " + MOST + " watch the page");
        return FULL;
    }

    /// Several may have been admitted to the last place.
    private void add(EventStream stream) {
        streams.add(stream);
        stream.onClose(() -> streams.remove(stream));
        if (streams.size() > MOST) {
            stream.close();
            return;
        }
        stream.send("history", history.get());
        stream.send("state", state.get());
    }

    /// Ends all streams.
    void close() {
        for (var stream : streams) stream.close();
    }

    /// A browser that does not read misses some.
    void tell(String state) {
        for (var stream : streams) if (!stream.isFull()) stream.send("state", state);
    }
}
