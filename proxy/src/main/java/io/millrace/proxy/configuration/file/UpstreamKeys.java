package io.millrace.proxy.configuration.file;

import io.millrace.proxy.Retries;
import io.millrace.proxy.configuration.UpstreamSettings;
import io.millrace.proxy.configuration.UpstreamSettings.HostPolicy;
import io.millrace.proxy.configuration.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.configuration.UpstreamSettings.UpstreamLoops;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Values;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Servers that share the work.
final class UpstreamKeys {
    static final String KIND = "upstream";

    private static final Key<io.millrace.proxy.backend.Health> HEALTH = Key.standard(
            "health", HealthKeys.SECTION, HealthKeys.STANDARD, "How it is found out whether backends are healthy.");
    private static final Key<LimitKeys.BackendLimits> LIMITS = Key.standard(
            "limits",
            LimitKeys.BACKENDS,
            LimitKeys.BackendLimits.STANDARD,
            "What it is asked to bear at a time, and how large the heads of its responses may be.");
    private static final Key<TimeoutSettings> TIMEOUTS =
            Key.standard("timeouts", LimitKeys.TIMEOUTS, TimeoutSettings.STANDARD, "How long a backend may take.");
    private static final Key<Retries> RETRIES =
            Key.standard("retries", LimitKeys.RETRIES, Retries.STANDARD, "When a request is given to another backend.");

    private static final Key<String> REWRITE = Key.required("rewrite", Words.AUTHORITY, "What the Host field says.");
    private static final Section<HostPolicy> REWRITE_SECTION = Section.of(
            "host",
            "A Host field that is always the same.",
            values -> new HostPolicy.Rewrite(values.of(REWRITE)),
            REWRITE);
    private static final Key<HostPolicy> HOST = Key.standard(
            "host",
            new TextOr<>(hosts(), REWRITE_SECTION),
            HostPolicy.KEEP,
            "The Host field of what is passed on: `keep` what the client said, the address of the `backend`, or"
                    + " `{rewrite: NAME}`.");

    private static final Key<UpstreamLoops> LOOPS = Key.standard(
            "loops",
            Choice.of(UpstreamLoops.class),
            UpstreamLoops.SAME,
            "Where connections to backends live: on the loop of the client's connection, on any of those, or on loops of their"
                    + " own.");
    private static final Key<Integer> PROXY_OUT = Key.optional(
            "send-proxy-protocol",
            Words.numbers(1, 2),
            "The version of the PROXY protocol in front of each connection. With it, a connection of layer 7 serves one"
                    + " connection of a client, and is kept for 5 s at most when that asks for nothing.");

    static final Named<UpstreamSettings> NAMED = Named.of(
            KIND,
            Named.NAME,
            new Section<>(
                    KIND,
                    "Servers that share the work, and how they are spoken to.",
                    keys(),
                    List.of(EndpointKeys.RULE),
                    Map.of(),
                    UpstreamKeys::upstream));

    private UpstreamKeys() {}

    private static Choice<HostPolicy> hosts() {
        var words = new LinkedHashMap<String, HostPolicy>();
        words.put("keep", HostPolicy.KEEP);
        words.put("backend", new HostPolicy.BackendAddress());
        return new Choice<>(words);
    }

    private static List<Key<?>> keys() {
        var keys = new ArrayList<>(EndpointKeys.KEYS);
        keys.addAll(
                List.of(BalanceKeys.KEY, HEALTH, LIMITS, TIMEOUTS, RETRIES, HOST, TlsKeys.BACKENDS, LOOPS, PROXY_OUT));
        return List.copyOf(keys);
    }

    private static UpstreamSettings upstream(Values values) {
        var balancing = values.of(BalanceKeys.KEY);
        var endpoints = EndpointKeys.endpoints(values);
        TlsKeys.check(values, endpoints);
        return new UpstreamSettings(
                values.name(),
                endpoints,
                balancing.balance(),
                balancing.hash(),
                values.of(HEALTH),
                values.of(LIMITS).upstream(),
                values.of(LIMITS).responses(),
                values.of(TIMEOUTS),
                values.of(RETRIES),
                values.of(HOST),
                values.of(LOOPS),
                values.optional(PROXY_OUT).orElse(0),
                values.optional(TlsKeys.BACKENDS));
    }
}
