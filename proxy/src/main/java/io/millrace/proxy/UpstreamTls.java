package io.millrace.proxy;

import io.millrace.loop.Wording;
import io.millrace.tls.TlsClient;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/// The name that a backend's certificate must be for.
public final class UpstreamTls {
    private UpstreamTls() {}

    /// The client unchanged if it has a name, otherwise for the backend's host.
    ///
    /// @throws IllegalArgumentException for a backend whose host no certificate can have
    public static TlsClient of(TlsClient client, SocketAddress backend) {
        if (client.name().isPresent()) return client;
        if (backend instanceof InetSocketAddress at) return client.of(at.getHostString());
        throw new IllegalArgumentException(
                "TLS with " + Wording.of(backend) + " needs a name that its certificate is for: set one");
    }
}
