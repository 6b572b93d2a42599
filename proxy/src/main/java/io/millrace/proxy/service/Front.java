package io.millrace.proxy.service;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Http;
import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.routing.Routing;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/// A listener and what it serves, which may change.
final class Front {
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
    /// @throws io.millrace.net.NetException when it cannot
    static Front open(ListenerSettings settings, Routing routing, EventLoops loops) throws UnknownHostException {
        var current = new Current(routing);
        var listen = Listen.on(resolved(settings.address())).loops(loops).maxConnections(settings.connections());
        return new Front(settings, current, Http.serve(listen, Dispatch.loop(), settings.http(), current));
    }

    private static SocketAddress resolved(SocketAddress address) throws UnknownHostException {
        if (!(address instanceof InetSocketAddress inet) || !inet.isUnresolved()) return address;
        return new InetSocketAddress(InetAddress.getByName(inet.getHostString()), inet.getPort());
    }

    /// Whether the next configuration asks for the same, but for routes.
    boolean serves(ListenerSettings wanted) {
        return settings.equals(wanted);
    }

    void become(Routing next) {
        current.become(next);
    }

    static Routing routing(Configuration configuration, String listener, Upstreams upstreams) {
        return Routing.of(configuration.routesOf(listener), upstreams::get);
    }

    Server server() {
        return server;
    }
}
