package io.millrace.proxy.configuration.file;

import io.millrace.http.PathForm;
import io.millrace.http.filter.Network;
import io.millrace.http.filter.Networks;
import io.millrace.http.filter.RealIp;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.ListenerSettings.ClientLimits;
import io.millrace.proxy.configuration.ListenerSettings.PathSettings;
import io.millrace.proxy.configuration.ListenerSettings.ProxyProtocolSettings;
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
            Key.optional("upstream", new Reference(UpstreamKeys.KIND), "Where connections go. Layer 4.");
    private static final Key<SequencedMap<String, String>> SERVER_NAMES = Key.optional(
            "server-names",
            Named.of("host", "(?i)" + Words.HOST.form(), new Reference(UpstreamKeys.KIND)),
            "Upstreams of connections of TLS, by the name that the client asks for (SNI): hosts, or `*.` and a host. Without"
                    + " `tls` nothing is decrypted, and the backends have the certificates. Clients that ask for another name,"
                    + " or for none, go to `upstream`, or are reset. Layer 4.");
    private static final Key<Long> CONNECTIONS = Key.standard(
            "max-connections",
            new WholeNumber(1, 10_000_000, "connections"),
            (long) ListenerSettings.STANDARD_CONNECTIONS,
            "Open ones at a time; further ones wait in the kernel (`connections.max`).");
    private static final Key<Duration> IDLE = Key.optional(
            "idle-timeout",
            Words.duration(Duration.ofSeconds(1), Duration.ofDays(7)),
            "A connection on which nothing happens for so long is closed (`timeout.idle`). Layer 4.");

    private static final Section<ProxyProtocolSettings> PROXY_PROTOCOL_SECTION = KeyTable.of(
                    "proxy protocol",
                    "The PROXY protocol, version 1 or 2, in front of the connections of a load balancer tells where they really"
                            + " come from.",
                    ProxyProtocolSettings.class)
            .required("from", Listing.of(Words.NETWORK), "Whose headers are believed. From elsewhere they are none.")
            .keyOr("required", Words.FLAG, true, "A connection from there without a header is closed.")
            .section();
    private static final Key<ProxyProtocolSettings> PROXY_PROTOCOL =
            Key.optional("proxy-protocol", PROXY_PROTOCOL_SECTION, "Who may say where a connection really comes from.");

    private static final Key<List<Network>> REAL_IP_FROM = Key.optional(
            "from",
            Listing.of(Words.NETWORK),
            "Proxies that are believed. Needed, but for a Unix socket, whose peers are believed anyway.");
    private static final Key<String> REAL_IP_HEADER = Key.standard(
            "header",
            Words.FIELD,
            RealIp.STANDARD_HEADER,
            "The field: `Forwarded` (RFC 7239), or one with an address or a list of them.");
    private static final Section<RealIp> REAL_IP_SECTION = Section.of(
            "real ip",
            "Who the client is, where proxies stand in front that say whom they serve. The list is walked from the"
                    + " right to the first address that is not in `from`; an entry that cannot be read ends the"
                    + " walk. From elsewhere the field means nothing. `access`, `rate-limit`, `basic-auth`,"
                    + " `balance: hash`, the access log, `forwarding` and `send-proxy-protocol` go by the client.",
            ListenerKeys::realIp,
            REAL_IP_FROM,
            REAL_IP_HEADER);
    private static final Key<RealIp> REAL_IP = Key.optional(
            "real-ip",
            REAL_IP_SECTION,
            "Who the client is, behind other proxies. Without it nobody is believed. Layer 7.");

    private static final Key<Boolean> SCHEME = Key.standard(
            "scheme",
            schemes(),
            false,
            "What clients have asked with, for `X-Forwarded-Proto` and `Forwarded`: `https` where something in front of this"
                    + " listener, and nobody else, ends TLS. Layer 7.");
    private static final Key<ClientLimits> LIMITS =
            Key.standard("limits", LimitKeys.CLIENTS, ClientLimits.STANDARD, "What is taken from clients. Layer 7.");

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
                    GateKeys.BASIC_AUTH)
            .was("connections", "max-connections")
            .was("idle", "idle-timeout")
            .with(
                    new Rule.When<>(
                            LAYER,
                            4,
                            List.of(UPSTREAM, SERVER_NAMES),
                            List.of(SCHEME, LIMITS, REAL_IP, PathKeys.PATHS, GateKeys.BASIC_AUTH)),
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
            throw values.refused(GateKeys.RATE_LIMIT, "layer 4 knows no fields: leave header out");
        }
        var names = names(values);
        if (names.isEmpty() && values.has(SERVER_NAMES))
            throw values.refused(SERVER_NAMES, "there is no name: add one, or leave the key out");
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
                GateKeys.gate(values));
    }

    /// As names in TLS are: in small letters, without a dot behind them.
    private static Map<String, String> names(Values values) {
        var names = new LinkedHashMap<String, String>();
        values.optional(SERVER_NAMES)
                .ifPresent(all -> all.forEach((name, upstream) -> {
                    if (names.put(Words.host(name), upstream) != null)
                        throw values.refused(SERVER_NAMES, "two of them are " + Words.host(name) + ": leave one out");
                }));
        return Collections.unmodifiableMap(names);
    }

    private static void checkRealIp(Values values) {
        var settings = values.optional(REAL_IP);
        if (settings.isEmpty() || !settings.get().trusted().isEmpty()) return;
        throw values.refused(
                REAL_IP, "nobody is believed without the key from: name the networks of the proxies in front");
    }

    private static void checkUnix(Values values) {
        boolean isAllowed = values.optional(GateKeys.ACCESS)
                .filter(access -> !access.allow().isEmpty())
                .isPresent();
        if (!isAllowed || values.has(REAL_IP) || values.has(PROXY_PROTOCOL)) return;
        throw values.refused(
                GateKeys.ACCESS,
                "who connects to a Unix socket has no address, so that allow would refuse everybody:"
                        + " add real-ip or proxy-protocol, or leave allow to the permissions of the socket");
    }

    /// The forms of paths that a listener takes.
    static final class PathKeys {
        private static final Key<List<String>> HOSTS = Key.optional(
                "hosts",
                Listing.of(Words.HOST),
                "For these, without a port: `example.org`, or `*.example.org` for all names below it. By default for all that"
                        + " no other item names.");
        private static final Key<Boolean> ESCAPED_SLASHES = Key.standard(
                "escaped-slashes",
                kept("refuse"),
                false,
                "`%2F` in a path: `keep` takes it for a character, which separates nothing; `refuse` answers with 400.");
        private static final Key<Boolean> SLASHES = Key.standard(
                "slashes",
                kept("merge"),
                false,
                "Several slashes in a row: `merge` makes one of them, `keep` passes them on.");
        private static final Key<Boolean> UNESCAPED = Key.standard(
                "unescaped",
                kept("refuse"),
                false,
                "`[`, `]`, `|` and `^` in a path, and a `%` in a query that begins no escape: `keep` passes them on, `refuse`"
                        + " answers with 400.");

        private static final Section<PathSettings> SECTION = Section.of(
                        "paths",
                        "Forms of paths that are no canonical ones, and that some applications need (GitLab, npm, RabbitMQ,"
                                + " object stores). Where one is kept, paths are passed on byte for byte, and `..` is refused."
                                + " The gates of a route hold for whatever a backend may read into a path; see"
                                + " [proxy-tables.md](proxy-tables.md).",
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
                "Forms of paths that hosts of it take beyond the canonical one, each host in one item. Layer 7.");

        private PathKeys() {}

        private static Choice<Boolean> kept(String otherwise) {
            var words = new LinkedHashMap<String, Boolean>();
            words.put(otherwise, false);
            words.put("keep", true);
            return new Choice<>(words);
        }

        /// Of the key above, which is one of the section.
        static List<PathSettings> paths(Values values) {
            var paths = values.of(PATHS);
            var known = new HashSet<String>();
            for (var item : paths) {
                for (var host : item.hosts().isEmpty() ? List.of("all hosts") : item.hosts()) {
                    if (known.add(host)) continue;
                    throw values.refused(PATHS, "two items are for " + host + ": make one of them");
                }
            }
            return paths;
        }
    }
}
