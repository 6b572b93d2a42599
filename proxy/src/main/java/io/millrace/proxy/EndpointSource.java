package io.millrace.proxy;

import java.util.List;
import java.util.function.Consumer;

/// Where an upstream learns which servers there are: a list, a file, DNS, or whatever else knows.
@FunctionalInterface
public interface EndpointSource {
    /// Begins to watch: gives the listener the list when it is known, and again whenever it has changed; from any
    /// thread, one call at a time. An unchanged endpoint is equal to what it was. When the source cannot be asked
    /// it stays silent, and the last list stands.
    ///
    /// @return ends the watch
    AutoCloseable watch(Consumer<List<Endpoint>> listener);

    /// Always the same ones.
    static EndpointSource of(List<Endpoint> endpoints) {
        var all = List.copyOf(endpoints);
        return listener -> {
            listener.accept(all);
            return () -> {};
        };
    }
}
