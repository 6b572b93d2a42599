package io.millrace.proxy.service;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Http;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.routing.Routing;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/// A listener and what it serves, which may change.
final class Front {
    private static final System.Logger LOG = System.getLogger("io.millrace.proxy");

    private final ListenerSettings settings;
    private final Current current;
    private final Server server;

    private Front(ListenerSettings settings, Current current, Server server) {
        this.settings = settings;
        this.current = current;
        this.server = server;
    }

    /// Begins to listen.
    ///
    /// @throws IOException when it cannot, with the address
    static Front open(ListenerSettings settings, Routing routing, EventLoops loops) throws IOException {
        var current = new Current(routing);
        var listen = Listen.on(resolved(settings.address())).loops(loops).maxConnections(settings.connections());
        try {
            return new Front(settings, current, Http.serve(listen, Dispatch.loop(), settings.http(), current));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static SocketAddress resolved(SocketAddress address) throws UnknownHostException {
        if (!(address instanceof InetSocketAddress inet) || !inet.isUnresolved()) return address;
        return new InetSocketAddress(InetAddress.getByName(inet.getHostString()), inet.getPort());
    }

    boolean listensOn(SocketAddress address) {
        return settings.address().equals(address);
    }

    /// Routes change while it serves; its limits do not.
    void checkSame(ListenerSettings wanted) {
        boolean isSame = wanted.http().equals(settings.http()) && wanted.connections() == settings.connections();
        if (isSame) return;
        LOG.log(Level.WARNING, "listener {0}: other limits take effect with the next start", wanted.name());
    }

    void become(Routing next) {
        current.become(next);
    }

    Server server() {
        return server;
    }
}
