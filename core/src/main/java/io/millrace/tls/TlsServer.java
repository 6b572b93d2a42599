package io.millrace.tls;

import io.millrace.bytes.Input;
import io.millrace.loop.ConnectionSettings;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.Wording;
import io.millrace.net.Security;
import io.millrace.net.Stage;
import io.millrace.tls.ClientHello.BadHello;
import io.millrace.tls.TlsLink.HandshakeRefusal;
import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/// TLS for a server: a stage between its connections and their handlers. A handler is made when the handshake is
/// over; [io.millrace.net.Connection#security] has its result.
///
/// ```java
/// var tls = Tls.server()
///         .name("example.com", TlsIdentity.pem(…))
///         .name("*.example.com", TlsIdentity.pem(…))
///         .speaking("h2", "http/1.1");
/// ```
/// Immutable; each method that changes something returns a copy. Any thread.
public final class TlsServer implements Stage {
    private static final int UNRECOGNIZED_NAME = 112;
    private static final int DECODE_ERROR = 50;
    private static final int INTERNAL_ERROR = 80;
    private static final int NO_APPLICATION_PROTOCOL = 120;

    /// The application protocol of a proof (RFC 8737 section 6.2), offered alone.
    private static final List<String> PROOF = List.of("acme-tls/1");

    private final TlsServerSettings settings;

    /// For identities that were asked for already.
    private final Map<TlsIdentity, SSLContext> contexts = new ConcurrentHashMap<>();

    /// The identity for a server name.
    private sealed interface Who {}

    private record Own(TlsIdentity identity) implements Who {}

    private record Given(SSLContext context) implements Who {}

    private record Other(TlsServer server) implements Who {}

    TlsServer(TlsServerSettings settings) {
        this.settings = settings;
    }

    private SSLContext context(TlsIdentity identity) {
        identity.warnOfExpiry();
        return contexts.computeIfAbsent(identity, its -> Contexts.server(its, settings.trusted));
    }

    /// Whether clients present a certificate.
    private enum Clients {
        SILENT,
        WANTED,
        REQUIRED
    }

    record TlsServerSettings(
            Optional<Who> fallback,
            Map<String, Who> names,
            List<String> applications,
            Clients clients,
            List<X509Certificate> trusted,
            Duration limit) {
        static final TlsServerSettings STANDARD = new TlsServerSettings(
                Optional.empty(), Map.of(), List.of(), Clients.SILENT, List.of(), Duration.ofSeconds(10));

        TlsServerSettings withDefault(TlsIdentity identity) {
            identity.warnOfExpiry();
            FirstHandshake.begin(identity);
            return new TlsServerSettings(Optional.of(new Own(identity)), names, applications, clients, trusted, limit);
        }

        TlsServerSettings withDefault(SSLContext context) {
            return new TlsServerSettings(Optional.of(new Given(context)), names, applications, clients, trusted, limit);
        }

        private TlsServerSettings withName(String name, Who who) {
            var more = new HashMap<>(names);
            more.put(HostNames.pattern(name), who);
            return new TlsServerSettings(fallback, Map.copyOf(more), applications, clients, trusted, limit);
        }

        private boolean hasGiven() {
            return fallback.filter(Given.class::isInstance).isPresent()
                    || names.values().stream().anyMatch(Given.class::isInstance);
        }
    }

    /// The identity for this server name. A client that asks for any other name gets the identity of
    /// [Tls#server(TlsIdentity)], or with [Tls#server()] an alert.
    ///
    /// @param name a host name, or `*.` and one, which matches all names with one label more
    /// @throws IllegalArgumentException for any other text
    public TlsServer name(String name, TlsIdentity identity) {
        identity.warnOfExpiry();
        FirstHandshake.begin(identity);
        return new TlsServer(settings.withName(name, new Own(identity)));
    }

    /// As [#name(String, TlsIdentity)], with a given context, which has keys and decides which clients it trusts:
    /// of another provider, or with keys in hardware.
    public TlsServer name(String name, SSLContext context) {
        if (!settings.trusted.isEmpty()) throw decidesItself();
        return new TlsServer(settings.withName(name, new Given(context)));
    }

    /// Another server for this name, with its own rules for clients and, if it sets them, its own application
    /// protocols; [#within] stays this one's. A client that was admitted under one name may ask for another in its
    /// requests: [#areAlike] tells whether the rules of two names differ.
    public TlsServer name(String name, TlsServer other) {
        return new TlsServer(settings.withName(name, new Other(other)));
    }

    /// The application protocols (ALPN), the preferred one first. A client that offers only others gets an alert;
    /// one that offers none is served.
    public TlsServer speaking(String... applications) {
        var s = settings;
        return new TlsServer(new TlsServerSettings(
                s.fallback, s.names, Suites.checked(applications), s.clients, s.trusted, s.limit));
    }

    /// Clients must present a certificate that one of these has issued.
    public TlsServer requiring(List<X509Certificate> issuers) {
        return withClients(Clients.REQUIRED, issuers);
    }

    /// Clients must present a certificate that the given contexts trust.
    public TlsServer requiring() {
        return withClients(Clients.REQUIRED);
    }

    /// Clients may present a certificate that the given contexts trust.
    public TlsServer wanting() {
        return withClients(Clients.WANTED);
    }

    private TlsServer withClients(Clients clients) {
        var s = settings;
        return new TlsServer(new TlsServerSettings(s.fallback, s.names, s.applications, clients, s.trusted, s.limit));
    }

    /// Clients may present a certificate that one of these has issued, and are served without one, too.
    public TlsServer wanting(List<X509Certificate> issuers) {
        return withClients(Clients.WANTED, issuers);
    }

    private TlsServer withClients(Clients clients, List<X509Certificate> issuers) {
        if (issuers.isEmpty()) throw new IllegalArgumentException("no issuer of clients' certificates: name one");
        if (settings.hasGiven()) throw decidesItself();
        var s = settings;
        return new TlsServer(
                new TlsServerSettings(s.fallback, s.names, s.applications, clients, List.copyOf(issuers), s.limit));
    }

    private static IllegalArgumentException decidesItself() {
        return new IllegalArgumentException("a given context decides itself which clients it trusts: leave the "
                + "issuers out, and configure its trust managers");
    }

    /// How long a handshake may take (`tls.timeout`); by default 10 s.
    ///
    /// @throws IllegalArgumentException unless it is more than zero
    public TlsServer within(Duration limit) {
        var s = settings;
        return new TlsServer(
                new TlsServerSettings(s.fallback, s.names, s.applications, s.clients, s.trusted, positive(limit)));
    }

    static Duration positive(Duration limit) {
        if (!limit.isPositive())
            throw new IllegalArgumentException(
                    "a TLS handshake timeout of " + Wording.of(limit) + ": take more than " + "0");
        return Duration.ofNanos(ConnectionSettings.nanos(limit, "a TLS handshake timeout"));
    }

    @Override
    public Link open(Context context) {
        return new TlsLink(context, new Accepting(context, null), settings.limit, null);
    }

    /// This server, which also proves to a certificate authority that it serves a name (TLS-ALPN-01, RFC 8737). A
    /// client that offers `acme-tls/1` and nothing else gets the certificate of the proof, and the connection is
    /// closed after the handshake; no handler sees it. Without a proof for the name it gets an alert. Other clients
    /// never see such a certificate.
    ///
    /// @param proofs the certificate for a name in lower case; called by loops, and must not block
    public Stage proving(Function<String, Optional<TlsIdentity>> proofs) {
        return context -> new TlsLink(context, new Accepting(context, proofs), settings.limit, null);
    }

    /// What serves a client.
    private record Chosen(SSLContext context, TlsServerSettings settings, boolean isGiven) {
        /// Whether it has the same rules for clients; which clients a given context trusts is unknown.
        private boolean isLike(Chosen other) {
            boolean isSame = (!isGiven && !other.isGiven) || context.equals(other.context);
            return settings.clients == other.settings.clients
                    && settings.trusted.equals(other.settings.trusted)
                    && (isSame || settings.clients == Clients.SILENT);
        }
    }

    /// The choice for a server name.
    private Optional<Chosen> choose(Optional<String> name) {
        var exact = name.map(settings.names::get);
        var wild = name.flatMap(HostNames::wildcard).map(settings.names::get);
        var found = exact.or(() -> wild).or(settings::fallback);
        return found.flatMap(who -> chosen(who, name));
    }

    private Optional<Chosen> chosen(Who who, Optional<String> name) {
        return switch (who) {
            case Own own -> Optional.of(new Chosen(context(own.identity), settings, false));
            case Given given -> Optional.of(new Chosen(given.context, settings, true));
            case Other other -> other.server.choose(name).map(this::speaking);
        };
    }

    /// A name without application protocols of its own uses this server's.
    private Chosen speaking(Chosen chosen) {
        var its = chosen.settings;
        if (!its.applications.isEmpty() || settings.applications.isEmpty()) return chosen;
        var more = new TlsServerSettings(
                its.fallback, its.names, settings.applications, its.clients, its.trusted, its.limit);
        return new Chosen(chosen.context, more, chosen.isGiven);
    }

    /// Another server for clients that ask for no name, or for an unknown one.
    public TlsServer fallback(TlsServer other) {
        var s = settings;
        return new TlsServer(new TlsServerSettings(
                Optional.of(new Other(other)), s.names, s.applications, s.clients, s.trusted, s.limit));
    }

    /// Whether a client that was admitted under one name may be served under the other: both have the same rules
    /// for clients. So must every `*.` above the other name, because code behind the server may match it with names
    /// of any depth.
    ///
    /// @param asked the handshake's name, [Security#serverName]
    /// @param other a host name, in any case, with or without a final dot
    public boolean areAlike(Optional<String> asked, String other) {
        var lower = other.toLowerCase(Locale.ROOT);
        var host = lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
        var one = choose(asked);
        var second = choose(Optional.of(host));
        boolean areAlike = one.isPresent() && second.isPresent() && one.get().isLike(second.get());
        for (int dot = host.indexOf('.'); areAlike && dot >= 0; dot = host.indexOf('.', dot + 1)) {
            var above = Optional.ofNullable(settings.names.get("*" + host.substring(dot)));
            areAlike = above.flatMap(who -> chosen(who, Optional.of(host)))
                    .filter(its -> !its.isLike(one.get()))
                    .isEmpty();
        }
        return areAlike;
    }

    /// Whether both have the same names, identities and rules for clients.
    @Override
    public boolean equals(Object other) {
        return other instanceof TlsServer that && settings.equals(that.settings);
    }

    @Override
    public int hashCode() {
        return settings.hashCode();
    }

    private final class Accepting implements TlsLink.Side {
        private final Context context;
        /// From the first bytes on, until the engine has the hello.
        private @Nullable HelloReader reader;

        private Optional<String> name = Optional.empty();
        private final @Nullable Function<String, Optional<TlsIdentity>> proofs;
        private boolean isProof;

        Accepting(Context context, @Nullable Function<String, Optional<TlsIdentity>> proofs) {
            this.context = context;
            this.proofs = proofs;
        }

        @Override
        public Optional<SSLEngine> engine(Input in) throws HandshakeRefusal, SSLException {
            try {
                var its = reader == null ? new HelloReader() : reader;
                reader = its;
                if (!its.read(in)) return Optional.empty();
                var engine = engine(its);
                reader = null;
                return Optional.of(engine);
            } catch (BadHello e) {
                CoreGuards.TLS_HELLO.acted(context.connection().remote(), String.valueOf(e.getMessage()));
                throw new HandshakeRefusal(DECODE_ERROR, String.valueOf(e.getMessage()));
            }
        }

        private SSLEngine engine(HelloReader its) throws HandshakeRefusal, SSLException, BadHello {
            var hello = its.hello();
            name = hello.serverName();
            isProof = proofs != null && hello.applications().equals(PROOF);
            var chosen = isProof ? proof() : choose(name).orElseThrow(this::nobody);
            var engine = chosen.context.createSSLEngine();
            engine.setUseClientMode(false);
            engine.setSSLParameters(parameters(chosen));
            engine.beginHandshake();
            show(its, engine);
            return engine;
        }

        private Chosen proof() throws HandshakeRefusal {
            var found = proofs == null ? Optional.<TlsIdentity>empty() : name.flatMap(proofs);
            var identity = found.orElseThrow(() -> new HandshakeRefusal(
                    NO_APPLICATION_PROTOCOL, "there is no proof (acme-tls/1) for " + name.orElse("no name")));
            var standard = TlsServerSettings.STANDARD;
            var its = new TlsServerSettings(
                    standard.fallback, standard.names, PROOF, standard.clients, standard.trusted, standard.limit);
            return new Chosen(Contexts.server(identity, List.of()), its, false);
        }

        private HandshakeRefusal nobody() {
            return new HandshakeRefusal(
                    UNRECOGNIZED_NAME,
                    name.map(asked -> "no identity for \"" + asked + '"').orElse("a client without a server name"));
        }

        private SSLParameters parameters(Chosen chosen) {
            var its = chosen.settings;
            var supported = chosen.context.getSupportedSSLParameters().getCipherSuites();
            var parameters = Suites.parameters(supported, its.applications);
            if (its.clients == Clients.REQUIRED) parameters.setNeedClientAuth(true);
            if (its.clients == Clients.WANTED) parameters.setWantClientAuth(true);
            return parameters;
        }

        /// In as few records as possible, however many it came in.
        private static void show(HelloReader its, SSLEngine engine) throws HandshakeRefusal, SSLException {
            var none = ByteBuffer.allocate(0);
            for (int at = 0; at < its.length(); ) {
                int length = Math.min(its.length() - at, Records.MOST_PLAIN);
                var record = ByteBuffer.allocate(Records.HEADER + length);
                record.put((byte) Records.HANDSHAKE).putShort((short) 0x0301).putShort((short) length);
                record.put(its.message(), at, length).flip();
                engine.unwrap(record, none);
                if (record.hasRemaining())
                    throw new HandshakeRefusal(INTERNAL_ERROR, "the engine did not take a ClientHello");
                at += length;
            }
        }

        @Override
        public Security finished(SSLEngine engine) throws SSLException {
            if (isProof) throw new SSLException("this was a proof (acme-tls/1), which has been given");
            return Handshakes.security(engine, name);
        }
    }
}
