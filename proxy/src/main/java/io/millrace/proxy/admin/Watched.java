package io.millrace.proxy.admin;

import io.millrace.http.filter.Traffic;
import io.millrace.net.LoopCounters;
import io.millrace.proxy.upstream.Backends;
import java.util.Collection;
import java.util.List;

/// What there is to look at, asked for each time because it may change. Any thread.
public interface Watched {
    /// What listeners have served.
    Collection<Traffic> traffic();

    /// Event loops, with names of their own.
    List<LoopCounters> loops();

    List<WatchedUpstream> upstreams();

    /// An upstream.
    ///
    /// @param layer 4 or 7
    /// @param backends none before its first request
    record WatchedUpstream(String name, int layer, List<Backends> backends) {}
}
