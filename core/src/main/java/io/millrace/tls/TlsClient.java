package io.millrace.tls;

import io.millrace.bytes.Input;
import io.millrace.net.Security;
import io.millrace.net.Stage;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/// TLS for a client: a stage between a connection and its handler. Connecting includes the handshake, and fails
/// with a [io.millrace.net.TlsError] when the server does not prove its identity.
///
/// ```java
/// var tls = Tls.client("db.internal").trusting(TlsIdentity.certificates(Path.of("ca.pem")));
/// var conn = Tcp.connect(Connect.to("db.internal", 5432).through(tls));
/// ```
/// Immutable; each method that changes something returns a copy. A client and the copies made with [#of] share up
/// to 1 000 sessions. Any thread.
public final class TlsClient implements Stage {
    private static final int MOST_SESSIONS = 1_000;

    /// Port numbers that no server, and so no session, has.
    private static final AtomicInteger OTHERS = new AtomicInteger(1 << 16);

    private final TlsClientSettings settings;
    private final SSLContext context;

    /// The server's name; empty until one is named.
    private final Optional<String> name;

    TlsClient(TlsClientSettings settings, Optional<String> name) {
        this(settings, settings.context(), name);
    }

    private TlsClient(TlsClientSettings settings, SSLContext context, Optional<String> name) {
        this.settings = settings;
        this.context = context;
        this.name = name;
    }

    private static String hostName(String name) {
        if (HostNames.isAddress(name)) return name;
        try {
            // A fully qualified name may end with a dot, which certificates do not have.
            return new SNIHostName(name.endsWith(".") ? name.substring(0, name.length() - 1) : name).getAsciiName();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException('"' + name + "\" is not a host name: " + e.getMessage(), e);
        }
    }

    record TlsClientSettings(
            List<X509Certificate> trusted,
            Optional<TlsIdentity> identity,
            List<String> applications,
            boolean isInsecure,
            Duration limit,
            Optional<SSLContext> given,
            boolean isResuming) {
        static final TlsClientSettings STANDARD = new TlsClientSettings(
                List.of(), Optional.empty(), List.of(), false, Duration.ofSeconds(10), Optional.empty(), true);

        /// Changes which issuers it trusts, and its identity.
        private TlsClientSettings of(List<X509Certificate> issuers, Optional<TlsIdentity> who, boolean isCredulous) {
            if (given.isPresent())
                throw new IllegalStateException("a given context decides itself which servers it trusts and its "
                        + "identity: configure the context's managers");
            return new TlsClientSettings(
                    List.copyOf(issuers), who, applications, isCredulous, limit, given, isResuming);
        }

        private SSLContext context() {
            if (given.isPresent()) return given.get();
            var made = isInsecure
                    ? Contexts.of(identity, new TrustManager[] {new Credulous()})
                    : Contexts.of(identity, trusted);
            made.getClientSessionContext().setSessionCacheSize(MOST_SESSIONS);
            return made;
        }
    }

    /// The same client for another server, with the same sessions.
    ///
    /// @param name a host name or an IP address
    public TlsClient of(String name) {
        return new TlsClient(settings, context, Optional.of(hostName(name)));
    }

    /// The server's name, if set.
    public Optional<String> name() {
        return name;
    }

    /// Trusts only servers whose certificate one of these has issued.
    public TlsClient trusting(List<X509Certificate> issuers) {
        if (issuers.isEmpty()) throw new IllegalArgumentException("no issuer to trust: name a certificate");
        return new TlsClient(settings.of(issuers, settings.identity, false), name);
    }

    /// The client's identity, for servers that ask for one.
    public TlsClient as(TlsIdentity identity) {
        return new TlsClient(settings.of(settings.trusted, Optional.of(identity), settings.isInsecure), name);
    }

    /// Its application protocols (ALPN), the preferred one first.
    public TlsClient speaking(String... applications) {
        var s = settings;
        var checked = Suites.checked(applications);
        return new TlsClient(
                new TlsClientSettings(s.trusted, s.identity, checked, s.isInsecure, s.limit, s.given, s.isResuming),
                name);
    }

    /// Its application protocols; empty if it offers none.
    public List<String> speaking() {
        return settings.applications;
    }

    /// Accepts any server, whatever its certificate: for experiments. A machine in the middle can read and change
    /// what is sent.
    public TlsClient insecurely() {
        return new TlsClient(settings.of(settings.trusted, settings.identity, true), name);
    }

    /// How long a handshake may take (`tls.timeout`); by default 10 s.
    ///
    /// @throws IllegalArgumentException unless it is more than zero
    public TlsClient within(Duration limit) {
        var s = settings;
        var checked = TlsServer.positive(limit);
        return new TlsClient(
                new TlsClientSettings(
                        s.trusted, s.identity, s.applications, s.isInsecure, checked, s.given, s.isResuming),
                name);
    }

    /// With a given context, of another provider for instance, which decides which servers it trusts and its
    /// identity. The server's name is checked here all the same.
    public TlsClient with(SSLContext context) {
        var s = settings;
        return new TlsClient(
                new TlsClientSettings(
                        List.of(),
                        Optional.empty(),
                        s.applications,
                        false,
                        s.limit,
                        Optional.of(context),
                        s.isResuming),
                name);
    }

    /// Begins each connection with a new session, and a full handshake.
    public TlsClient withoutResumption() {
        var s = settings;
        return new TlsClient(
                new TlsClientSettings(s.trusted, s.identity, s.applications, s.isInsecure, s.limit, s.given, false),
                context,
                name);
    }

    /// Whether both have the same trusted issuers, identity and server name.
    @Override
    public boolean equals(Object other) {
        return other instanceof TlsClient that && settings.equals(that.settings) && name.equals(that.name);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    @Override
    public Link open(Context its) {
        var name = this.name.orElseThrow(() -> new IllegalStateException(
                "a TLS client without a server name: name the server, Tls.client(name) or " + "of(name)"));
        var engine = context.createSSLEngine(name, settings.isResuming ? port(its) : OTHERS.getAndIncrement());
        engine.setUseClientMode(true);
        var parameters = Suites.parameters(engine.getSupportedCipherSuites(), settings.applications);
        if (!settings.isInsecure) parameters.setEndpointIdentificationAlgorithm("HTTPS");
        if (!HostNames.isAddress(name)) parameters.setServerNames(List.of(new SNIHostName(name)));
        engine.setSSLParameters(parameters);
        return new TlsLink(its, new Connecting(name), settings.limit, engine);
    }

    private static int port(Context its) {
        return its.connection().remote() instanceof InetSocketAddress inet ? inet.getPort() : -1;
    }

    private final class Connecting implements TlsLink.Side {
        private final String name;

        Connecting(String name) {
            this.name = name;
        }

        @Override
        public Optional<SSLEngine> engine(Input in) {
            throw new AssertionError("a client has its engine from the start");
        }

        /// Checks the name once more: a given trust manager may not have.
        @Override
        public Security finished(SSLEngine engine) throws SSLException {
            var found = Handshakes.security(engine, Optional.of(name).filter(its -> !HostNames.isAddress(its)));
            if (settings.isInsecure) return found;
            if (found.peerCertificates().isEmpty()
                    || !HostNames.isOf(found.peerCertificates().getFirst(), name))
                throw new SSLException("the server's certificate is not for " + name);
            return found;
        }
    }

    /// Trusts every server.
    static final class Credulous extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
