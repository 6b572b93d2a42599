package io.millrace.proxy.admin;

import io.millrace.http.filter.Traffic;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.upstream.Backends;
import java.util.Collection;
import java.util.List;

/// What the page shows, fetched each time because it may change. Any thread.
public interface Watched {
    /// The counters of the listeners.
    Collection<Traffic> traffic();

    /// Event loops, whose names differ.
    List<LoopCounters> loops();

    List<WatchedUpstream> upstreams();

    /// An upstream.
    ///
    /// @param layer 4 or 7
    /// @param backends empty before its first request
    record WatchedUpstream(String name, int layer, List<Backends> backends) {}
}
