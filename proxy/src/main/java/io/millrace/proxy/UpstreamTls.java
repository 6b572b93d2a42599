package io.millrace.proxy;

import io.millrace.loop.Wording;
import io.millrace.tls.TlsClient;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/// Whose certificate is wanted of a backend.
public final class UpstreamTls {
    private UpstreamTls() {}

    /// The client as it is when it has a name, and otherwise of the backend's host.
    ///
    /// @throws IllegalArgumentException for a backend whose host can be in no certificate
    public static TlsClient of(TlsClient client, SocketAddress backend) {
        if (client.name().isPresent()) return client;
        if (backend instanceof InetSocketAddress at) return client.of(at.getHostString());
        throw new IllegalArgumentException(
                "TLS with " + Wording.of(backend) + " takes a name that its certificate is for: say one");
    }
}
