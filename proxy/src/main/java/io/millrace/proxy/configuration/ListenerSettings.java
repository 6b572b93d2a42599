package io.millrace.proxy.configuration;

import io.millrace.http.HttpLimits;
import io.millrace.http.PathForm;
import io.millrace.http.filter.Network;
import io.millrace.http.filter.RealIp;
import io.millrace.http.server.Http;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Where connections are accepted, and what is taken from them.
///
/// @param address an [java.net.InetSocketAddress], which may be unresolved, or that of a Unix socket
/// @param layer 4 for bytes, 7 for HTTP
/// @param upstream where connections of layer 4 go; empty for layer 7, which has routes
/// @param serverNames where those go that ask for a name, by names; TLS is passed on as it is, unless it ends here
/// @param proxyProtocol whose headers in front of connections are taken; empty for nobody's
/// @param tls what clients speak; empty for none
/// @param realIp who is believed to say whom requests serve; empty for nobody
/// @param isSecure whether requests came through TLS, which ended in front of us
/// @param connections open ones at a time
/// @param idle connections of layer 4 on which nothing happens for so long are closed; zero for never
/// @param limits of layer 7
/// @param paths by hosts; those that are not there take canonical paths only
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
        GateSettings gate) {
    /// Whether TLS is passed on as it is.
    public boolean isPassingTls() {
        return !serverNames.isEmpty() && tls.isEmpty();
    }

    public static final int STANDARD_CONNECTIONS = 1_000_000;

    /// One of layer 7 with the standards of everything.
    public static ListenerSettings http(String name, SocketAddress address, Optional<TlsSettings> tls) {
        return of(name, address, 7, Optional.empty(), tls);
    }

    /// One of layer 4 with the standards of everything.
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
                GateSettings.OPEN);
    }

    /// What a listener of layer 7 takes from its clients.
    ///
    /// @param writeTimeout while a client takes nothing of a response
    public record ClientLimits(HttpLimits http, Duration writeTimeout) {
        public static final ClientLimits STANDARD =
                new ClientLimits(HttpLimits.standard(), Http.STANDARD_WRITE_TIMEOUT);
    }

    /// The forms of paths that some hosts of a listener take.
    ///
    /// @param hosts as those of routes; empty for all that no other one names
    public record PathSettings(List<String> hosts, PathForm form) {}

    /// Who may say, in front of a connection, where it really comes from (the PROXY protocol, versions 1 and 2).
    ///
    /// @param from only from there a header is taken; what looks like one from elsewhere is part of the bytes
    /// @param isRequired whether a connection from there without a header is refused
    public record ProxyProtocolSettings(List<Network> from, boolean isRequired) {}

    /// TLS that ends at a listener.
    ///
    /// @param identities of its names, for figures
    /// @param hasRulesByName whether some names want something else of clients than others
    /// @param files that were read, and are read again when they change
    public record TlsSettings(
            TlsServer server, List<TlsIdentity> identities, boolean hasRulesByName, List<Path> files) {}
}
