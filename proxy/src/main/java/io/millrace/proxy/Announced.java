package io.millrace.proxy;

import io.millrace.http.message.Destination;
import io.millrace.http.message.Permits;
import io.millrace.net.Stage;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.upstream.Backend;
import java.net.SocketAddress;

/// A backend, and the client whose connections to it are: what was announced for one client says nothing of
/// another, so nobody else's requests go there.
///
/// @param source the client
/// @param local what the client has connected to
record Announced(Backend backend, Version version, SocketAddress source, SocketAddress local) implements Destination {
    Stage stage() {
        return ProxyProtocol.announcing(version, source, local);
    }

    @Override
    public SocketAddress address() {
        return backend.address();
    }

    @Override
    public Permits connections() {
        return backend.connections();
    }

    @Override
    public Permits pending() {
        return backend.pending();
    }

    @Override
    public boolean isGone() {
        return backend.isGone();
    }

    @Override
    public String toString() {
        return backend + " for " + source;
    }
}
