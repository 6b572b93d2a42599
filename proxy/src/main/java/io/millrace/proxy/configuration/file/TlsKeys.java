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

/// TLS, of listeners and with backends. Files are read and looked at here, so that what is wrong with them is a problem
/// of the configuration.
final class TlsKeys {
    private static final String RELATIVE = " In PEM. Relative to the folder of the configuration.";

    private static final Key<Path> CHAIN = Key.required(
            "chain", Words.FILE, "The certificate, and behind it those that lead to the authority." + RELATIVE);
    private static final Key<Path> KEY =
            Key.required("key", Words.FILE, "The private key: PKCS#8, PKCS#1 or SEC1." + RELATIVE);
    private static final Key<String> PASSWORD = Key.optional(
            "password",
            Scalar.text("a password", "[\\s\\S]+", "${KEY_PASSWORD}").secret(),
            "Of a key that is encrypted (PKCS#8).");

    private static final Key<Path> AUTHORITIES = Key.required(
            "authorities", Words.FILE, "Certificates of those who issue the certificates of clients." + RELATIVE);
    private static final Key<Boolean> REQUIRED =
            Key.standard("required", Words.FLAG, true, "A client without a certificate is refused, in the handshake.");

    /// Whom clients have to be known to.
    private record Clients(List<X509Certificate> authorities, boolean isRequired, Path file) {
        TlsServer of(TlsServer server) {
            return isRequired ? server.requiring(authorities) : server.wanting(authorities);
        }
    }

    private static final Section<Clients> CLIENTS_SECTION = Section.of(
            "client certificates",
            "Clients show certificates of their own (mutual TLS). Backends are told of them in `Client-Cert` (RFC 9440).",
            values -> read(() -> new Clients(
                    TlsIdentity.certificates(values.of(AUTHORITIES)), values.of(REQUIRED), values.of(AUTHORITIES))),
            AUTHORITIES,
            REQUIRED);
    private static final Key<Clients> CLIENTS =
            Key.optional("clients", CLIENTS_SECTION, "Which certificates clients show. By default none.");
    private static final Key<Clients> CLIENTS_OF_NAME = Key.optional(
            "clients",
            CLIENTS_SECTION,
            "The same for these names alone, instead of what the listener says. A request for such a host on a connection"
                    + " that was let in by another name is answered with 421.");

    private static final Key<List<String>> NAMES = Key.optional(
            "names",
            Listing.of(Words.HOST),
            "Who is asked for: hosts, or `*.` and a host. By default those that the certificate is for.");
    private static final Key<Boolean> FALLBACK = Key.standard(
            "fallback",
            Words.FLAG,
            false,
            "It is also shown to clients that ask for no name, or for one of nobody here.");

    /// One of a listener's.
    private record Certificate(
            TlsIdentity identity,
            List<String> names,
            boolean isFallback,
            Optional<Clients> clients,
            List<Path> files) {}

    private static final Section<Certificate> CERTIFICATE = Section.of(
            "certificate",
            "A certificate and its key. A client that asks for a name of nobody gets an alert (`unrecognized_name`).",
            TlsKeys::certificate,
            CHAIN,
            KEY,
            PASSWORD,
            NAMES,
            FALLBACK,
            CLIENTS_OF_NAME);

    private static final Key<List<Certificate>> CERTIFICATES =
            Key.required("certificates", Listing.of(CERTIFICATE), "Who the listener is, by the names it is asked for.");

    private static final Section<TlsSettings> LISTENER_SECTION = Section.of(
            "tls",
            "TLS 1.3 and 1.2 with clients. The files are read again when they change, and with the configuration:"
                    + " connections that there are keep what they began with, and what cannot be used changes nothing.",
            TlsKeys::listener,
            CERTIFICATES,
            CLIENTS);

    static final Key<TlsSettings> LISTENER = Key.optional(
            "tls",
            LISTENER_SECTION,
            "Clients speak TLS. Behind `proxy-protocol`, if that is there, too. Layers 4 and 7.");

    // With backends.

    /// @param client of a certain name, or of the host of each backend
    /// @param files that were read for it
    record BackendTls(TlsClient client, List<Path> files) {}

    private static final Section<Own> OWN_SECTION = Section.of(
            "certificate of the proxy",
            "Who the proxy is to backends that want to know.",
            TlsKeys::own,
            CHAIN,
            KEY,
            PASSWORD);

    private record Own(TlsIdentity identity, List<Path> files) {}

    private static final Key<String> NAME = Key.optional(
            "name",
            Words.NAME,
            "Whom the backends' certificates have to be for, and who is asked for (SNI). By default the host, or the"
                    + " address, of each backend.");
    private static final Key<Path> TRUSTED = Key.optional(
            "authorities",
            Words.FILE,
            "Certificates of those who issue the backends', and nobody else is believed; by default those that the JVM trusts."
                    + RELATIVE);
    private static final Key<Own> OWN =
            Key.optional("certificate", OWN_SECTION, "Who the proxy is to backends that want to know.");
    private static final Key<Boolean> VERIFY = Key.standard(
            "verify",
            Words.FLAG,
            true,
            "Whether the backend's certificate is looked at. Without, whoever stands between can read and change everything.");

    static final Key<BackendTls> BACKENDS = Key.optional(
            "tls",
            Section.of(
                    "backend tls",
                    "TLS 1.3 and 1.2 with backends, for requests, connections of layer 4 and checks of health."
                            + " `tls: {}` takes the standards.",
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

    /// What a file that cannot be read says is a problem like any other.
    private static <T> T read(Reader<T> reader) {
        try {
            return reader.get();
        } catch (UncheckedIOException e) {
            throw new IllegalArgumentException(e.getMessage() + ": let the proxy read it", e);
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
            throw values.refused(CHAIN, "the certificate has no names of hosts: say names, or that it is the fallback");
        return new Certificate(own.identity, names, isFallback, values.optional(CLIENTS_OF_NAME), own.files);
    }

    private static TlsSettings listener(Values values) {
        var all = values.of(CERTIFICATES);
        var fallbacks = all.stream().filter(Certificate::isFallback).toList();
        if (fallbacks.size() > 1) throw values.refused(CERTIFICATES, "two of them are the fallback: leave one out");
        var clients = values.optional(CLIENTS);
        var files = new ArrayList<Path>();
        clients.ifPresent(its -> files.add(its.file));
        var server = Tls.server();
        var known = new HashSet<String>();
        for (var one : all) {
            for (var name : one.names)
                if (!known.add(name))
                    throw values.refused(
                            CERTIFICATES, "two of them are for " + name + ": say with names which one is meant");
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

    /// A certificate for what is in no certificate would be wanted in vain.
    static void check(Values values, EndpointSource source) {
        var tls = values.optional(BACKENDS);
        if (tls.isEmpty() || tls.get().client().name().isPresent()) return;
        if (!(source instanceof EndpointSource.Listed listed)) return;
        for (var endpoint : listed.endpoints()) {
            try {
                var _ = UpstreamTls.of(tls.get().client(), endpoint.address());
            } catch (IllegalArgumentException e) {
                throw values.refused(BACKENDS, e.getMessage() + "; the key name says whom");
            }
        }
    }

    private static BackendTls backends(Values values) {
        var files = new ArrayList<Path>();
        var client = values.optional(NAME).map(Tls::client).orElseGet(Tls::client);
        if (!values.of(VERIFY)) client = client.insecurely();
        if (!values.of(VERIFY) && values.has(TRUSTED))
            throw values.refused(TRUSTED, "with verify: false nobody is asked for: leave one of them out");
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
