package io.millrace.proxy.configuration.file;

import io.millrace.http.PathForm;
import io.millrace.http.filter.Network;
import io.millrace.http.filter.Networks;
import io.millrace.http.filter.RealIp;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.ListenerSettings.ClientLimits;
import io.millrace.proxy.configuration.ListenerSettings.PathSettings;
import io.millrace.proxy.configuration.ListenerSettings.ProxyProtocolSettings;
import io.millrace.proxy.configuration.file.HeaderKeys.ContentKeys;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.Reference;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/// Where connections are accepted.
final class ListenerKeys {
    static final String KIND = "listener";

    private static final Key<SocketAddress> ADDRESS = Key.required(
            "address",
            AddressTexts.OWN,
            "`HOST:PORT`, `:PORT` for all addresses of the machine, or `unix:PATH` for a Unix socket.");
    private static final Key<Integer> LAYER = Key.standard(
            "layer",
            Words.numbers(4, 7),
            7,
            "7 for HTTP, which has `routes`; 4 for bytes, which go to one `upstream`.");
    private static final Key<String> UPSTREAM =
            Key.optional("upstream", new Reference(UpstreamKeys.KIND), "Where connections are forwarded. Layer 4.");
    private static final Key<SequencedMap<String, String>> SERVER_NAMES = Key.optional(
            "server-names",
            Named.of("host", "(?i)" + Words.HOST.form(), new Reference(UpstreamKeys.KIND)),
            "Upstreams of TLS connections, by the name that the client asks for (SNI): a host, or `*.` and a"
                    + " host. Without `tls` nothing is decrypted, and the backends have the certificates."
                    + " Clients that ask for another name, or for none, go to `upstream`; without one they"
                    + " are reset. Layer 4.");
    private static final Key<Long> CONNECTIONS = Key.standard(
            "max-connections",
            new WholeNumber(1, 10_000_000, "connections"),
            (long) ListenerSettings.STANDARD_CONNECTIONS,
            "Connections open at a time; more wait in the kernel (`connections.max`).");
    private static final Key<Duration> IDLE = Key.optional(
            "idle-timeout",
            Words.duration(Duration.ofSeconds(1), Duration.ofDays(7)),
            "A connection without traffic for this long is closed (`timeout.idle`). Layer 4.");

    private static final Section<ProxyProtocolSettings> PROXY_PROTOCOL_SECTION = KeyTable.of(
                    "proxy protocol",
                    "The PROXY protocol, version 1 or 2: a load balancer begins each connection with a header"
                            + " that says where it comes from.",
                    ProxyProtocolSettings.class)
            .required(
                    "from",
                    Listing.of(Words.NETWORK),
                    "Peers whose headers are believed. From others, a header is ordinary bytes.")
            .keyOr("required", Words.FLAG, true, "Whether a connection from these peers without a header is closed.")
            .section();
    private static final Key<ProxyProtocolSettings> PROXY_PROTOCOL = Key.optional(
            "proxy-protocol", PROXY_PROTOCOL_SECTION, "Which peers may say where a connection comes from.");

    private static final Key<List<Network>> REAL_IP_FROM = Key.optional(
            "from",
            Listing.of(Words.NETWORK),
            "Proxies that are believed. Required, except on a Unix socket, whose peers are always believed.");
    private static final Key<String> REAL_IP_HEADER = Key.standard(
            "header",
            Words.FIELD,
            RealIp.STANDARD_HEADER,
            "The field: `Forwarded` (RFC 7239), or one that has an address or a list of addresses.");
    private static final Section<RealIp> REAL_IP_SECTION = Section.of(
            "real ip",
            "The client's address, behind proxies that send it in a field. The list is read from the right up to"
                    + " the first address that is not in `from`; an entry that cannot be parsed ends the"
                    + " search. From other peers the field is ignored. `access`, `rate-limit`, `basic-auth`,"
                    + " `balance: hash`, the access log, `forwarding` and `send-proxy-protocol` use this"
                    + " address.",
            ListenerKeys::realIp,
            REAL_IP_FROM,
            REAL_IP_HEADER);
    private static final Key<RealIp> REAL_IP = Key.optional(
            "real-ip",
            REAL_IP_SECTION,
            "How the client's address is found behind other proxies. Without it none of them is believed. Layer 7.");

    private static final Key<Boolean> SCHEME = Key.standard(
            "scheme",
            schemes(),
            false,
            "The clients' scheme, for `X-Forwarded-Proto` and `Forwarded`: `https` if all clients come through"
                    + " something in front of this listener that ends TLS. Layer 7.");
    private static final Key<ClientLimits> LIMITS =
            Key.standard("limits", LimitKeys.CLIENTS, ClientLimits.STANDARD, "Limits for clients. Layer 7.");

    static final Section<ListenerSettings> SECTION = Section.of(
                    KIND,
                    "Where connections are accepted.",
                    ListenerKeys::listener,
                    ADDRESS,
                    LAYER,
                    UPSTREAM,
                    SERVER_NAMES,
                    CONNECTIONS,
                    IDLE,
                    PROXY_PROTOCOL,
                    TlsKeys.LISTENER,
                    REAL_IP,
                    SCHEME,
                    LIMITS,
                    PathKeys.PATHS,
                    GateKeys.ACCESS,
                    GateKeys.RATE_LIMIT,
                    GateKeys.BASIC_AUTH,
                    GateKeys.WEBSOCKETS,
                    ContentKeys.COMPRESSION,
                    ContentKeys.EXPIRES,
                    ContentKeys.ERROR_PAGES)
            .was("connections", "max-connections")
            .was("idle", "idle-timeout")
            .with(
                    new Rule.When<>(
                            LAYER,
                            4,
                            List.of(UPSTREAM, SERVER_NAMES),
                            List.of(
                                    SCHEME,
                                    LIMITS,
                                    REAL_IP,
                                    PathKeys.PATHS,
                                    GateKeys.BASIC_AUTH,
                                    GateKeys.WEBSOCKETS,
                                    ContentKeys.COMPRESSION,
                                    ContentKeys.EXPIRES,
                                    ContentKeys.ERROR_PAGES)),
                    new Rule.When<>(LAYER, 7, List.of(), List.of(UPSTREAM, SERVER_NAMES, IDLE)));

    static final Named<ListenerSettings> NAMED = Named.of(KIND, Named.NAME, SECTION)
            .distinctBy(listener -> AddressTexts.text(listener.address()), "listens on the same address");

    private ListenerKeys() {}

    private static Choice<Boolean> schemes() {
        var words = new LinkedHashMap<String, Boolean>();
        words.put("http", false);
        words.put("https", true);
        return new Choice<>(words);
    }

    private static RealIp realIp(Values values) {
        var from = values.optional(REAL_IP_FROM).orElse(List.of());
        return RealIp.from(Networks.of(from)).header(values.of(REAL_IP_HEADER));
    }

    private static ListenerSettings listener(Values values) {
        if (values.of(LAYER) == 4
                && values.optional(GateKeys.RATE_LIMIT)
                        .filter(limit -> !limit.header().isEmpty())
                        .isPresent()) {
            throw values.refused(GateKeys.RATE_LIMIT, "layer 4 has no header fields: leave header out");
        }
        var names = names(values);
        if (names.isEmpty() && values.has(SERVER_NAMES))
            throw values.refused(SERVER_NAMES, "it is empty: add a name, or leave the key out");
        boolean isUnix = values.of(ADDRESS) instanceof UnixDomainSocketAddress;
        if (isUnix) checkUnix(values);
        else checkRealIp(values);
        return new ListenerSettings(
                values.name(),
                values.of(ADDRESS),
                values.of(LAYER),
                values.optional(UPSTREAM),
                names,
                values.optional(PROXY_PROTOCOL),
                values.optional(TlsKeys.LISTENER),
                values.optional(REAL_IP),
                values.of(SCHEME),
                values.of(CONNECTIONS).intValue(),
                values.optional(IDLE).orElse(Duration.ZERO),
                values.of(LIMITS),
                PathKeys.paths(values),
                GateKeys.gate(values),
                ContentKeys.content(values));
    }

    /// As TLS has names: in lower case, without a dot at the end.
    private static Map<String, String> names(Values values) {
        var names = new LinkedHashMap<String, String>();
        values.optional(SERVER_NAMES)
                .ifPresent(all -> all.forEach((name, upstream) -> {
                    if (names.put(Words.host(name), upstream) != null)
                        throw values.refused(SERVER_NAMES, "two names are " + Words.host(name) + ": leave one out");
                }));
        return Collections.unmodifiableMap(names);
    }

    private static void checkRealIp(Values values) {
        var settings = values.optional(REAL_IP);
        if (settings.isEmpty() || !settings.get().trusted().isEmpty()) return;
        throw values.refused(
                REAL_IP, "without the key from no proxy is believed: name the networks of the proxies in front");
    }

    private static void checkUnix(Values values) {
        boolean isAllowed = values.optional(GateKeys.ACCESS)
                .filter(access -> !access.allow().isEmpty())
                .isPresent();
        if (!isAllowed || values.has(REAL_IP) || values.has(PROXY_PROTOCOL)) return;
        throw values.refused(
                GateKeys.ACCESS,
                "clients of a Unix socket have no address, so that allow would refuse all of them: add real-ip or"
                        + " proxy-protocol, or use the permissions of the socket instead");
    }

    /// The forms of paths that a listener accepts.
    static final class PathKeys {
        private static final Key<List<String>> HOSTS = Key.optional(
                "hosts",
                Listing.of(Words.HOST),
                "The hosts, without a port: `example.org`, or `*.example.org` for all names below it. By default"
                        + " all hosts that no other item names.");
        private static final Key<Boolean> ESCAPED_SLASHES = Key.standard(
                "escaped-slashes",
                kept("refuse"),
                false,
                "`%2F` in a path: `keep` takes it as an ordinary character that separates nothing; `refuse`"
                        + " answers with 400.");
        private static final Key<Boolean> SLASHES = Key.standard(
                "slashes",
                kept("merge"),
                false,
                "Several slashes in a row: `merge` makes them one, `keep` forwards them.");
        private static final Key<Boolean> UNESCAPED = Key.standard(
                "unescaped",
                kept("refuse"),
                false,
                "`[`, `]`, `|` and `^` in a path, and a `%` in a query that begins no escape: `keep` forwards"
                        + " them, `refuse` answers with 400.");

        private static final Section<PathSettings> SECTION = Section.of(
                        "paths",
                        "Paths that are not canonical, for applications that need them (GitLab, npm, RabbitMQ,"
                                + " object stores). If one form is kept, paths are forwarded byte for byte,"
                                + " and `..` is refused. A route's gates apply to every way a backend may"
                                + " read a path; see [proxy-tables.md](proxy-tables.md).",
                        values -> new PathSettings(
                                values.optional(HOSTS).orElse(List.of()),
                                new PathForm(values.of(ESCAPED_SLASHES), values.of(SLASHES), values.of(UNESCAPED))),
                        HOSTS,
                        ESCAPED_SLASHES,
                        SLASHES,
                        UNESCAPED)
                .with(Rule.atLeastOneOf(ESCAPED_SLASHES, SLASHES, UNESCAPED));

        static final Key<List<PathSettings>> PATHS = Key.standard(
                "paths",
                new Listing<>(SECTION, 0),
                List.of(),
                "Paths that are accepted though they are not canonical. Each host is in one item at most. Layer 7.");

        private PathKeys() {}

        private static Choice<Boolean> kept(String otherwise) {
            var words = new LinkedHashMap<String, Boolean>();
            words.put(otherwise, false);
            words.put("keep", true);
            return new Choice<>(words);
        }

        /// The value of [#PATHS].
        static List<PathSettings> paths(Values values) {
            var paths = values.of(PATHS);
            var known = new HashSet<String>();
            for (var item : paths) {
                for (var host : item.hosts().isEmpty() ? List.of("all hosts") : item.hosts()) {
                    if (known.add(host)) continue;
                    throw values.refused(PATHS, "two items are for " + host + ": merge them");
                }
            }
            return paths;
        }
    }
}
