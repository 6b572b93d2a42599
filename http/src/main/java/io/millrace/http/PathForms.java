package io.millrace.http;

import java.util.function.Supplier;

/// Which forms of paths a server takes for which of its hosts. Asked for each request, before there is one: a
/// path is made canonical before anybody looks for its route. Any thread.
@FunctionalInterface
public interface PathForms {
    /// The canonical one, for all hosts.
    PathForms STRICT = _ -> PathForm.STRICT;

    /// What is taken for a host.
    ///
    /// @param host as in the Host field, empty when nobody says one; made when it is asked for
    PathForm of(Supplier<String> host);
}
