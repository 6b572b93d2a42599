package io.millrace.proxy.configuration.file;

import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.acme.AcmeSettings.Challenge;
import io.millrace.proxy.UpstreamTls;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.configuration.ListenerSettings.TlsSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsClient;
import io.millrace.tls.TlsIdentity;
import io.millrace.tls.TlsServer;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
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

    private static final Key<Path> CHAIN_OR_ACME = Key.optional("chain", Words.FILE, CHAIN.says() + " Or `acme`.");
    private static final Key<Path> KEY_OR_ACME = Key.optional("key", Words.FILE, KEY.says() + " With `chain`.");

    /// A certificate of a listener.
    ///
    /// @param identity empty as long as an authority has not issued it
    private record Certificate(
            Optional<TlsIdentity> identity,
            List<String> names,
            boolean isFallback,
            Optional<Clients> clients,
            Optional<AcmeSettings> acme,
            List<Path> files) {
        /// Those of its names that a client can get it for now.
        private List<String> served() {
            if (acme.isEmpty()) return names;
            var its = identity.map(TlsIdentity::names).orElse(List.of());
            return names.stream().filter(its::contains).toList();
        }
    }

    private static final Section<Certificate> CERTIFICATE = Section.of(
                    "certificate",
                    "A certificate and its key. A client that asks for a name that no certificate has gets an alert"
                            + " (`unrecognized_name`).",
                    TlsKeys::certificate,
                    CHAIN_OR_ACME,
                    KEY_OR_ACME,
                    AcmeKeys.ACME,
                    PASSWORD,
                    NAMES,
                    FALLBACK,
                    CLIENTS_OF_NAME)
            .with(
                    Rule.exactlyOneOf(CHAIN_OR_ACME, AcmeKeys.ACME),
                    Rule.needs(CHAIN_OR_ACME, KEY_OR_ACME),
                    Rule.needs(KEY_OR_ACME, CHAIN_OR_ACME),
                    Rule.needs(PASSWORD, KEY_OR_ACME),
                    Rule.atMostOneOf(AcmeKeys.ACME, NAMES));

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
        return own(values, values.of(CHAIN), values.of(KEY));
    }

    private static Own own(Values values, Path chain, Path key) {
        var password = values.optional(PASSWORD).map(String::toCharArray);
        var identity = read(
                () -> password.isPresent() ? TlsIdentity.pem(chain, key, password.get()) : TlsIdentity.pem(chain, key));
        return new Own(identity, List.of(chain, key));
    }

    private static Certificate certificate(Values values) {
        var acme = values.optional(AcmeKeys.ACME);
        if (acme.isPresent()) return certificate(values, acme.get());
        var own = own(
                values,
                values.optional(CHAIN_OR_ACME).orElseThrow(),
                values.optional(KEY_OR_ACME).orElseThrow());
        var names = values.optional(NAMES).orElseGet(own.identity::names);
        boolean isFallback = values.of(FALLBACK);
        if (names.isEmpty() && !isFallback)
            throw values.refused(
                    CHAIN_OR_ACME, "the certificate has no host names: add names, or make it the fallback");
        return new Certificate(
                Optional.of(own.identity),
                names,
                isFallback,
                values.optional(CLIENTS_OF_NAME),
                Optional.empty(),
                own.files);
    }

    private static Certificate certificate(Values values, AcmeSettings acme) {
        return new Certificate(
                read(acme::identity),
                acme.names(),
                values.of(FALLBACK),
                values.optional(CLIENTS_OF_NAME),
                Optional.of(acme),
                List.of(acme.file()));
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
            if (one.identity.isEmpty()) continue;
            var its = its(one, one.identity.get(), clients);
            for (var name : one.served()) server = server.name(name, its);
            if (one.isFallback) server = server.fallback(its);
        }
        boolean hasRules = all.stream().anyMatch(one -> one.clients.isPresent());
        var identities = all.stream().flatMap(one -> one.identity.stream()).toList();
        var acme = all.stream().flatMap(one -> one.acme.stream()).toList();
        return new TlsSettings(server, identities, hasRules, acme, List.copyOf(files));
    }

    private static TlsServer its(Certificate one, TlsIdentity identity, Optional<Clients> ofAll) {
        var server = Tls.server(identity);
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

    /// Certificates that an authority issues.
    static final class AcmeKeys {
        private static final Key<List<String>> HOSTS = Key.required(
                "names",
                Listing.of(Words.HOST),
                "The names of the certificate, 1 to 100 hosts without a star. The first one names its file.");
        private static final Key<String> CONTACT = Key.optional(
                "contact",
                Scalar.text("a mail address", "[^@\\s]+@[^@\\s]+", "ops@example.org"),
                "An address for mail about the account.");
        private static final Key<URI> DIRECTORY = Key.standard(
                "directory",
                Scalar.of(
                        "a directory",
                        "https://[!-~]+",
                        "https://acme.example.org/directory",
                        URI::create,
                        URI::toString),
                AcmeSettings.STANDARD_DIRECTORY,
                "The authority's directory; by default that of Let's Encrypt.");
        private static final Key<Challenge> CHALLENGE = Key.standard(
                "challenge",
                challenges(),
                Challenge.HTTP_01,
                "How the authority is shown that the names are served here: `http-01` over HTTP at port 80 of each"
                        + " name, which a listener of layer 7 without `tls` answers; `tls-alpn-01` in a TLS"
                        + " handshake at port 443, which a listener with `tls` answers.");
        private static final Key<Path> STORAGE = Key.required(
                "storage",
                Words.NEW_FOLDER,
                "A folder for keys and certificates, which its owner alone may use (mode 700). It is made when it is"
                        + " missing. Processes that share it renew in turn. Relative to the folder of the"
                        + " configuration.");
        private static final Key<Boolean> TERMS = Key.required(
                "terms-agreed",
                Words.FLAG,
                "`true`, if you agree to the terms of the authority; without that it issues nothing.");
        private static final Key<Path> AUTHORITIES_OF_DIRECTORY = Key.optional(
                "authorities",
                Words.FILE,
                "Certificates of the authorities that are trusted to issue the directory's own certificate; by"
                        + " default those of the JVM."
                        + RELATIVE);

        static final Key<AcmeSettings> ACME = Key.optional(
                "acme",
                Section.of(
                        "acme",
                        "A certificate from an authority, over ACME (RFC 8555). It is obtained at the start and"
                                + " renewed when a third of its life is left, or when the authority says so (RFC"
                                + " 9773). Until the first one is there, handshakes for its names fail.",
                        AcmeKeys::acme,
                        HOSTS,
                        CONTACT,
                        DIRECTORY,
                        CHALLENGE,
                        STORAGE,
                        TERMS,
                        AUTHORITIES_OF_DIRECTORY),
                "An authority issues the certificate, and it is renewed in time. Instead of `chain`.");

        private AcmeKeys() {}

        private static Choice<Challenge> challenges() {
            var words = new LinkedHashMap<String, Challenge>();
            words.put("http-01", Challenge.HTTP_01);
            words.put("tls-alpn-01", Challenge.TLS_ALPN_01);
            return new Choice<>(words);
        }

        private static AcmeSettings acme(Values values) {
            if (!values.of(TERMS))
                throw values.refused(
                        TERMS,
                        "the authority issues nothing to those who do not agree to its terms:"
                                + " read them, and write true");
            var names = values.of(HOSTS).stream().map(Words::host).toArray(String[]::new);
            var settings = refused(values, HOSTS, () -> AcmeSettings.of(values.of(STORAGE), names))
                    .challenge(values.of(CHALLENGE));
            var known = refused(values, DIRECTORY, () -> settings.directory(values.of(DIRECTORY)));
            var mail = values.optional(CONTACT);
            var whole = mail.isPresent() ? refused(values, CONTACT, () -> known.contact(mail.get())) : known;
            refused(values, STORAGE, () -> {
                whole.checkStorage();
                return whole;
            });
            var trusted = values.optional(AUTHORITIES_OF_DIRECTORY);
            return trusted.isPresent() ? whole.authorities(read(() -> TlsIdentity.certificates(trusted.get()))) : whole;
        }

        private static <T> T refused(Values values, Key<?> key, Reader<T> reader) {
            try {
                return read(reader);
            } catch (IllegalArgumentException e) {
                throw values.refused(key, String.valueOf(e.getMessage()));
            }
        }
    }
}
