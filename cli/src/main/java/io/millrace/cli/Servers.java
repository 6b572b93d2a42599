package io.millrace.cli;

import io.millrace.Listen;
import io.millrace.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// One site, served on several listeners.
record Servers(List<Server> all) implements AutoCloseable {
    /// Starts all of them, or none.
    ///
    /// @param places the listeners that are wanted
    static Servers of(List<Optional<Listen>> places, Function<Listen, Server> serve) {
        var servers = new Servers(new ArrayList<>());
        try {
            for (var place : places) place.ifPresent(on -> servers.all.add(serve.apply(on)));
            return servers;
        } catch (RuntimeException | Error e) {
            servers.close();
            throw e;
        }
    }

    @Override
    public void close() {
        all.forEach(Server::close);
    }
}
