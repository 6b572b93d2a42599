package io.millrace.proxy.configuration.file;

import io.millrace.http.HttpLimits;
import io.millrace.proxy.Network;
import io.millrace.proxy.configuration.ListenerSettings;
import io.millrace.proxy.configuration.ProxyProtocolSettings;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Reference;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.Whole;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;

/// Where connections are accepted.
final class ListenerKeys {
    static final String KIND = "listener";

    private static final Key<SocketAddress> ADDRESS = Key.required(
            "address",
            Addresses.OWN,
            "`HOST:PORT`, `:PORT` for all addresses of the machine, or `unix:PATH` for a Unix socket.");
    private static final Key<Integer> LAYER = Key.standard(
            "layer",
            Words.numbers(4, 7),
            7,
            "7 for HTTP, which has `routes`; 4 for bytes, which go to one `upstream`.");
    private static final Key<String> UPSTREAM =
            Key.optional("upstream", new Reference(UpstreamKeys.KIND), "Where connections go. Layer 4.");
    private static final Key<Long> CONNECTIONS = Key.standard(
            "connections",
            new Whole(1, 10_000_000, "connections"),
            (long) ListenerSettings.STANDARD_CONNECTIONS,
            "Open ones at a time; further ones wait in the kernel (`connections.max`).");
    private static final Key<Duration> IDLE = Key.optional(
            "idle",
            Words.duration(Duration.ofSeconds(1), Duration.ofDays(7)),
            "A connection on which nothing happens for so long is closed (`timeout.idle`). Layer 4.");

    private static final Key<List<Network>> FROM = Key.required(
            "from", Listing.of(Words.NETWORK), "Whose headers are believed. From elsewhere they are none.");
    private static final Key<Boolean> REQUIRED =
            Key.standard("required", Words.FLAG, true, "A connection from there without a header is closed.");

    private static final Section<ProxyProtocolSettings> PROXY_PROTOCOL_SECTION = Section.of(
            "proxy protocol",
            "The PROXY protocol, version 1 or 2, in front of the connections of a load balancer tells where they really come"
                    + " from.",
            values -> new ProxyProtocolSettings(values.of(FROM), values.of(REQUIRED)),
            FROM,
            REQUIRED);
    private static final Key<ProxyProtocolSettings> PROXY_PROTOCOL =
            Key.optional("proxy-protocol", PROXY_PROTOCOL_SECTION, "Who may say where a connection really comes from.");

    private static final Key<Boolean> SCHEME = Key.standard(
            "scheme",
            schemes(),
            false,
            "What clients have asked with, for `X-Forwarded-Proto` and `Forwarded`: `https` where something in front of this"
                    + " listener, and nobody else, ends TLS. Layer 7.");
    private static final Key<HttpLimits> LIMITS = Key.standard(
            "limits", HttpLimitKeys.SECTION, HttpLimits.standard(), "What is taken from clients. Layer 7.");

    static final Section<ListenerSettings> SECTION = Section.of(
                    KIND,
                    "Where connections are accepted.",
                    ListenerKeys::listener,
                    ADDRESS,
                    LAYER,
                    UPSTREAM,
                    CONNECTIONS,
                    IDLE,
                    PROXY_PROTOCOL,
                    SCHEME,
                    LIMITS,
                    GateKeys.ACCESS,
                    GateKeys.RATE_LIMIT,
                    GateKeys.BASIC_AUTH)
            .with(
                    new Rule.When<>(LAYER, 4, List.of(UPSTREAM), List.of(SCHEME, LIMITS, GateKeys.BASIC_AUTH)),
                    new Rule.When<>(LAYER, 7, List.of(), List.of(UPSTREAM, IDLE)));

    static final Named<ListenerSettings> NAMED = Named.of(KIND, Named.NAME, SECTION)
            .distinctBy(listener -> Addresses.text(listener.address()), "listens on the same address");

    private ListenerKeys() {}

    private static Choice<Boolean> schemes() {
        var words = new LinkedHashMap<String, Boolean>();
        words.put("http", false);
        words.put("https", true);
        return new Choice<>(words);
    }

    private static ListenerSettings listener(Values values) {
        if (values.of(LAYER) == 4
                && values.optional(GateKeys.RATE_LIMIT)
                        .filter(limit -> !limit.header().isEmpty())
                        .isPresent()) {
            throw values.refused(GateKeys.RATE_LIMIT, "layer 4 knows no fields: leave header out");
        }
        return new ListenerSettings(
                values.name(),
                values.of(ADDRESS),
                values.of(LAYER),
                values.optional(UPSTREAM),
                values.optional(PROXY_PROTOCOL),
                values.of(SCHEME),
                values.of(CONNECTIONS).intValue(),
                values.optional(IDLE).orElse(Duration.ZERO),
                values.of(LIMITS),
                GateKeys.gate(values));
    }
}
