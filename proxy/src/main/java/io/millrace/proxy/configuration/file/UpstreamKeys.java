package io.millrace.proxy.configuration.file;

import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.Retries;
import io.millrace.proxy.UpstreamSettings;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.configuration.Configuration.ConfiguredUpstream;
import io.millrace.proxy.configuration.Configuration.UpstreamLoops;
import io.millrace.proxy.configuration.file.TlsKeys.BackendTls;
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
            "host", "A Host field that is always the same.", values -> HostPolicy.rewrite(values.of(REWRITE)), REWRITE);
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
    private static final Key<Version> PROXY_OUT = Key.optional(
            "send-proxy-protocol",
            versions(),
            "The version of the PROXY protocol in front of each connection. With it, a connection of layer 7 serves one"
                    + " connection of a client, and is kept for 5 s at most when that asks for nothing.");

    static final Named<ConfiguredUpstream> NAMED = Named.of(
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
        words.put("backend", HostPolicy.BACKEND);
        return new Choice<>(words);
    }

    private static Choice<Version> versions() {
        var words = new LinkedHashMap<String, Version>();
        words.put("1", Version.V1);
        words.put("2", Version.V2);
        return new Choice<>(words);
    }

    private static List<Key<?>> keys() {
        var keys = new ArrayList<>(EndpointKeys.KEYS);
        keys.addAll(
                List.of(BalanceKeys.KEY, HEALTH, LIMITS, TIMEOUTS, RETRIES, HOST, TlsKeys.BACKENDS, LOOPS, PROXY_OUT));
        return List.copyOf(keys);
    }

    private static ConfiguredUpstream upstream(Values values) {
        var source = EndpointKeys.source(values);
        TlsKeys.check(values, source);
        var balancing = values.of(BalanceKeys.KEY);
        var settings = UpstreamSettings.of(source)
                .name(values.name())
                .balance(balancing.balance())
                .hash(balancing.hash())
                .health(values.of(HEALTH))
                .limits(values.of(LIMITS).upstream())
                .responses(values.of(LIMITS).responses())
                .timeouts(values.of(TIMEOUTS))
                .retries(values.of(RETRIES))
                .host(values.of(HOST));
        var announced =
                values.optional(PROXY_OUT).map(settings::sendProxyProtocol).orElse(settings);
        var tls = values.optional(TlsKeys.BACKENDS);
        return new ConfiguredUpstream(
                tls.map(its -> announced.tls(its.client())).orElse(announced),
                values.of(LOOPS),
                tls.map(BackendTls::files).orElse(List.of()));
    }
}
