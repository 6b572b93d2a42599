package io.millrace.proxy.configuration;

import io.millrace.http.HttpLimits;
import io.millrace.http.PathForm;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.filter.Network;
import io.millrace.http.filter.RealIp;
import io.millrace.http.server.Http;
import io.millrace.proxy.configuration.RouteSettings.ContentSettings;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Where connections are accepted, and what they may do.
///
/// @param address a [java.net.InetSocketAddress], perhaps unresolved, or a Unix socket's
/// @param layer 4 for bytes, 7 for HTTP
/// @param upstream where layer 4 connections are forwarded; empty for layer 7, which has routes
/// @param serverNames upstreams by the TLS server name that the client asks for; TLS is forwarded as it is, unless
/// it ends here
/// @param proxyProtocol the peers whose PROXY headers are read; empty for none
/// @param tls the TLS that clients speak; empty for none
/// @param realIp the proxies that are believed about the client's address; empty for none
/// @param isSecure whether clients used TLS that ends in front of this listener
/// @param connections the most that are open at a time
/// @param idle layer 4 connections without traffic for this long are closed; zero for never
/// @param limits of layer 7
/// @param paths by host; other hosts accept canonical paths only
/// @param content for routes without settings of their own
public record ListenerSettings(
        String name,
        SocketAddress address,
        int layer,
        Optional<String> upstream,
        Map<String, String> serverNames,
        Optional<ProxyProtocolSettings> proxyProtocol,
        Optional<TlsSettings> tls,
        Optional<RealIp> realIp,
        boolean isSecure,
        int connections,
        Duration idle,
        ClientLimits limits,
        List<PathSettings> paths,
        GateSettings gate,
        ContentSettings content) {
    /// Whether TLS is forwarded as it is.
    public boolean isPassingTls() {
        return !serverNames.isEmpty() && tls.isEmpty();
    }

    public static final int STANDARD_CONNECTIONS = 1_000_000;

    /// A layer 7 listener with default settings.
    public static ListenerSettings http(String name, SocketAddress address, Optional<TlsSettings> tls) {
        return of(name, address, 7, Optional.empty(), tls);
    }

    /// A layer 4 listener with default settings.
    public static ListenerSettings tcp(String name, SocketAddress address, String upstream, Optional<TlsSettings> tls) {
        return of(name, address, 4, Optional.of(upstream), tls);
    }

    private static ListenerSettings of(
            String name, SocketAddress address, int layer, Optional<String> upstream, Optional<TlsSettings> tls) {
        return new ListenerSettings(
                name,
                address,
                layer,
                upstream,
                Map.of(),
                Optional.empty(),
                tls,
                Optional.empty(),
                false,
                STANDARD_CONNECTIONS,
                Duration.ZERO,
                ClientLimits.STANDARD,
                List.of(),
                GateSettings.OPEN,
                ContentSettings.NONE);
    }

    /// What a layer 7 listener accepts from its clients.
    ///
    /// @param writeTimeout how long a client may take nothing of a response
    public record ClientLimits(HttpLimits http, Duration writeTimeout) {
        public static final ClientLimits STANDARD =
                new ClientLimits(HttpLimits.standard(), Http.STANDARD_WRITE_TIMEOUT);
    }

    /// The forms of paths that some hosts of a listener accept.
    ///
    /// @param hosts written like a route's; empty for all that no other value names
    public record PathSettings(List<String> hosts, PathForm form) {}

    /// The peers that may say where a connection comes from (the PROXY protocol, versions 1 and 2).
    ///
    /// @param from the networks whose headers are read; from elsewhere a header is ordinary bytes
    /// @param isRequired whether a connection from these networks without a header is closed
    public record ProxyProtocolSettings(List<Network> from, boolean isRequired) {}

    /// TLS that ends at a listener.
    ///
    /// @param identities by server name, for metrics
    /// @param hasRulesByName whether names differ in the client certificates that they ask for
    /// @param acme certificates that authorities issue; those that are there are among the identities
    /// @param files read again when they change
    public record TlsSettings(
            TlsServer server,
            List<TlsIdentity> identities,
            boolean hasRulesByName,
            List<AcmeSettings> acme,
            List<Path> files) {}
}
