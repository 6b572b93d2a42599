package io.millrace.proxy.configuration.file;

import io.millrace.proxy.UpstreamTls;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.configuration.ListenerSettings.TlsSettings;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;

/// TLS with clients and with backends. Files are read and checked here, so that an error in one is a problem of
/// the configuration.
final class TlsKeys {
    private static final String RELATIVE = " In PEM. Relative to the folder of the configuration.";

    private static final Key<Path> CHAIN =
            Key.required("chain", Words.FILE, "The certificate, followed by the intermediate ones." + RELATIVE);
    private static final Key<Path> KEY =
            Key.required("key", Words.FILE, "The private key: PKCS#8, PKCS#1 or SEC1." + RELATIVE);
    private static final Key<String> PASSWORD = Key.optional(
            "password",
            Scalar.text("a password", "[\\s\\S]+", "${KEY_PASSWORD}").secret(),
            "The password of an encrypted key (PKCS#8).");

    private static final Key<Path> AUTHORITIES = Key.required(
            "authorities",
            Words.FILE,
            "Certificates of the authorities that issue the clients' certificates." + RELATIVE);
    private static final Key<Boolean> REQUIRED =
            Key.standard("required", Words.FLAG, true, "Whether the handshake fails without a client certificate.");

    /// The client certificates that are asked for.
    private record Clients(List<X509Certificate> authorities, boolean isRequired, Path file) {
        TlsServer of(TlsServer server) {
            return isRequired ? server.requiring(authorities) : server.wanting(authorities);
        }
    }

    private static final Section<Clients> CLIENTS_SECTION = Section.of(
            "client certificates",
            "Clients present certificates (mutual TLS). Backends get them in `Client-Cert` (RFC 9440).",
            values -> read(() -> new Clients(
                    TlsIdentity.certificates(values.of(AUTHORITIES)), values.of(REQUIRED), values.of(AUTHORITIES))),
            AUTHORITIES,
            REQUIRED);
    private static final Key<Clients> CLIENTS =
            Key.optional("clients", CLIENTS_SECTION, "The certificates that clients present. By default none.");
    private static final Key<Clients> CLIENTS_OF_NAME = Key.optional(
            "clients",
            CLIENTS_SECTION,
            "Client certificates for these names, instead of the listener's `clients`. A request for such a host"
                    + " on a connection accepted under another name gets 421.");

    private static final Key<List<String>> NAMES = Key.optional(
            "names",
            Listing.of(Words.HOST),
            "The names that clients ask for: hosts, or `*.` and a host. By default the certificate's own.");
    private static final Key<Boolean> FALLBACK = Key.standard(
            "fallback",
            Words.FLAG,
            false,
            "Whether clients that ask for no name, or for one that no certificate has, get this one.");

    /// A certificate of a listener.
    private record Certificate(
            TlsIdentity identity,
            List<String> names,
            boolean isFallback,
            Optional<Clients> clients,
            List<Path> files) {}

    private static final Section<Certificate> CERTIFICATE = Section.of(
            "certificate",
            "A certificate and its key. A client that asks for a name that no certificate has gets an alert"
                    + " (`unrecognized_name`).",
            TlsKeys::certificate,
            CHAIN,
            KEY,
            PASSWORD,
            NAMES,
            FALLBACK,
            CLIENTS_OF_NAME);

    private static final Key<List<Certificate>> CERTIFICATES = Key.required(
            "certificates",
            Listing.of(CERTIFICATE),
            "The listener's certificates, chosen by the name that the client asks for.");

    private static final Section<TlsSettings> LISTENER_SECTION = Section.of(
            "tls",
            "TLS 1.3 and 1.2 with clients. The files are read again when they change, and with the configuration."
                    + " Open connections keep what they began with. A file with an error changes nothing.",
            TlsKeys::listener,
            CERTIFICATES,
            CLIENTS);

    static final Key<TlsSettings> LISTENER = Key.optional(
            "tls",
            LISTENER_SECTION,
            "Clients speak TLS. With `proxy-protocol`, its header comes before TLS. Layers 4 and 7.");

    // With backends.

    /// @param client for a fixed name, or for the host of each backend
    /// @param files that were read for it
    record BackendTls(TlsClient client, List<Path> files) {}

    private static final Section<Own> OWN_SECTION = Section.of(
            "certificate of the proxy",
            "The proxy's certificate, for backends that ask for one.",
            TlsKeys::own,
            CHAIN,
            KEY,
            PASSWORD);

    private record Own(TlsIdentity identity, List<Path> files) {}

    private static final Key<String> NAME = Key.optional(
            "name",
            Words.NAME,
            "The name that the backends' certificates must have, also sent as SNI. By default each backend's host"
                    + " or address.");
    private static final Key<Path> TRUSTED = Key.optional(
            "authorities",
            Words.FILE,
            "Certificates of the authorities that are trusted to issue the backends' certificates; by default"
                    + " those of the JVM."
                    + RELATIVE);
    private static final Key<Own> OWN =
            Key.optional("certificate", OWN_SECTION, "The proxy's certificate, for backends that ask for one.");
    private static final Key<Boolean> VERIFY = Key.standard(
            "verify",
            Words.FLAG,
            true,
            "Whether the backend's certificate is checked. If not, an attacker on the way can read and change"
                    + " everything.");

    static final Key<BackendTls> BACKENDS = Key.optional(
            "tls",
            Section.of(
                    "backend tls",
                    "TLS 1.3 and 1.2 with backends, for requests, layer 4 connections and health checks. `tls:"
                            + " {}` takes the defaults.",
                    TlsKeys::backends,
                    NAME,
                    TRUSTED,
                    OWN,
                    VERIFY),
            "Backends speak TLS.");

    private TlsKeys() {}

    private interface Reader<T> {
        T get();
    }

    /// A file that cannot be read is a problem like any other.
    private static <T> T read(Reader<T> reader) {
        try {
            return reader.get();
        } catch (UncheckedIOException e) {
            throw new IllegalArgumentException(e.getMessage() + ": make it readable for the proxy", e);
        }
    }

    private static Own own(Values values) {
        var chain = values.of(CHAIN);
        var key = values.of(KEY);
        var password = values.optional(PASSWORD).map(String::toCharArray);
        var identity = read(
                () -> password.isPresent() ? TlsIdentity.pem(chain, key, password.get()) : TlsIdentity.pem(chain, key));
        return new Own(identity, List.of(chain, key));
    }

    private static Certificate certificate(Values values) {
        var own = own(values);
        var names = values.optional(NAMES).orElseGet(own.identity::names);
        boolean isFallback = values.of(FALLBACK);
        if (names.isEmpty() && !isFallback)
            throw values.refused(CHAIN, "the certificate has no host names: add names, or make it the fallback");
        return new Certificate(own.identity, names, isFallback, values.optional(CLIENTS_OF_NAME), own.files);
    }

    private static TlsSettings listener(Values values) {
        var all = values.of(CERTIFICATES);
        var fallbacks = all.stream().filter(Certificate::isFallback).toList();
        if (fallbacks.size() > 1)
            throw values.refused(CERTIFICATES, "two certificates are the fallback: leave one out");
        var clients = values.optional(CLIENTS);
        var files = new ArrayList<Path>();
        clients.ifPresent(its -> files.add(its.file));
        var server = Tls.server();
        var known = new HashSet<String>();
        for (var one : all) {
            for (var name : one.names)
                if (!known.add(name))
                    throw values.refused(CERTIFICATES, "two certificates are for " + name + ": choose one with names");
            files.addAll(one.files);
            one.clients.ifPresent(its -> files.add(its.file));
            var its = its(one, clients);
            for (var name : one.names) server = server.name(name, its);
            if (one.isFallback) server = server.fallback(its);
        }
        boolean hasRules = all.stream().anyMatch(one -> one.clients.isPresent());
        var identities = all.stream().map(Certificate::identity).toList();
        return new TlsSettings(server, identities, hasRules, List.copyOf(files));
    }

    private static TlsServer its(Certificate one, Optional<Clients> ofAll) {
        var server = Tls.server(one.identity);
        return one.clients.or(() -> ofAll).map(its -> its.of(server)).orElse(server);
    }

    /// Refuses a backend whose address no certificate can have, like a Unix socket.
    static void check(Values values, EndpointSource source) {
        var tls = values.optional(BACKENDS);
        if (tls.isEmpty() || tls.get().client().name().isPresent()) return;
        if (!(source instanceof EndpointSource.Listed listed)) return;
        for (var endpoint : listed.endpoints()) {
            try {
                var _ = UpstreamTls.of(tls.get().client(), endpoint.address());
            } catch (IllegalArgumentException e) {
                throw values.refused(BACKENDS, e.getMessage() + "; set the key name");
            }
        }
    }

    private static BackendTls backends(Values values) {
        var files = new ArrayList<Path>();
        var client = values.optional(NAME).map(Tls::client).orElseGet(Tls::client);
        if (!values.of(VERIFY)) client = client.insecurely();
        if (!values.of(VERIFY) && values.has(TRUSTED))
            throw values.refused(TRUSTED, "with verify: false no authority is needed: leave one of them out");
        var trusted = values.optional(TRUSTED);
        if (trusted.isPresent()) {
            files.add(trusted.get());
            client = client.trusting(read(() -> TlsIdentity.certificates(trusted.get())));
        }
        var own = values.optional(OWN);
        if (own.isPresent()) {
            files.addAll(own.get().files);
            client = client.as(own.get().identity);
        }
        return new BackendTls(client, List.copyOf(files));
    }
}
