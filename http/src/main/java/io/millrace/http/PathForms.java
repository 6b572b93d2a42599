package io.millrace.http;

import java.util.function.Supplier;

/// Decides which path forms a server accepts for each of its hosts. Asked for each request, before there is a
/// [Request]: a path is made canonical before a route is looked up. Any thread.
@FunctionalInterface
public interface PathForms {
    /// The canonical one, for all hosts.
    PathForms STRICT = _ -> PathForm.STRICT;

    /// The forms for a host.
    ///
    /// @param host as in the Host field, empty if there is none; computed on demand
    PathForm of(Supplier<String> host);
}
