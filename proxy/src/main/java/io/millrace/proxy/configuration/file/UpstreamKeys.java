package io.millrace.proxy.configuration.file;

import io.millrace.http.HttpVersion;
import io.millrace.proxy.ProxyProtocol.Version;
import io.millrace.proxy.Retries;
import io.millrace.proxy.UpstreamSettings;
import io.millrace.proxy.UpstreamSettings.HostPolicy;
import io.millrace.proxy.UpstreamSettings.TimeoutSettings;
import io.millrace.proxy.backend.Health;
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

    private static final Key<Health> HEALTH = Key.standard(
            "health", HealthKeys.SECTION, HealthKeys.STANDARD, "How the proxy finds out whether backends are healthy.");
    private static final Key<LimitKeys.BackendLimits> LIMITS = Key.standard(
            "limits",
            LimitKeys.BACKENDS,
            LimitKeys.BackendLimits.STANDARD,
            "How much goes to it at a time, and how large its response heads may be.");
    private static final Key<TimeoutSettings> TIMEOUTS =
            Key.standard("timeouts", LimitKeys.TIMEOUTS, TimeoutSettings.STANDARD, "How long a backend may take.");
    private static final Key<Retries> RETRIES =
            Key.standard("retries", LimitKeys.RETRIES, Retries.STANDARD, "When a request is sent to another backend.");

    private static final Key<String> REWRITE = Key.required("rewrite", Words.AUTHORITY, "The value of the Host field.");
    private static final Section<HostPolicy> REWRITE_SECTION = Section.of(
            "host", "A Host field that is always the same.", values -> HostPolicy.rewrite(values.of(REWRITE)), REWRITE);
    private static final Key<HostPolicy> HOST = Key.standard(
            "host",
            new TextOr<>(hosts(), REWRITE_SECTION),
            HostPolicy.KEEP,
            "The Host field of forwarded requests: `keep` for the client's, `backend` for the backend's address,"
                    + " or `{rewrite: NAME}`.");

    private static final Key<HttpVersion> PROTOCOL = Key.standard(
            "protocol",
            protocols(),
            HttpVersion.NEGOTIATED,
            "The version of HTTP on layer 7: `h1`, `h2` (in clear text the backend must be known to speak it), or `auto`:"
                    + " HTTP/2 where a backend offers it over TLS, and HTTP/1.1 elsewhere. Health checks speak the"
                    + " same.");

    private static final Key<UpstreamLoops> LOOPS = Key.standard(
            "loops",
            Choice.of(UpstreamLoops.class),
            UpstreamLoops.SAME,
            "The event loop of a backend connection: the `same` as the client connection's, any of the `shared`"
                    + " ones that serve clients, or one of its `own` group.");
    private static final Key<Version> PROXY_OUT = Key.optional(
            "send-proxy-protocol",
            versions(),
            "The version of the PROXY protocol that begins each connection. With it, a layer 7 connection serves"
                    + " a single client connection, and is kept for 5 s at most without a request.");

    static final Named<ConfiguredUpstream> NAMED = Named.of(
            KIND,
            Named.NAME,
            new Section<>(
                    KIND,
                    "Servers that share the work, and how to use them.",
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

    private static Choice<HttpVersion> protocols() {
        var words = new LinkedHashMap<String, HttpVersion>();
        words.put("h1", HttpVersion.HTTP_1_1);
        words.put("h2", HttpVersion.HTTP_2);
        words.put("auto", HttpVersion.NEGOTIATED);
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
        keys.addAll(List.of(
                BalanceKeys.KEY,
                BalanceKeys.STICKY,
                HEALTH,
                LIMITS,
                TIMEOUTS,
                RETRIES,
                HOST,
                TlsKeys.BACKENDS,
                PROTOCOL,
                LOOPS,
                PROXY_OUT));
        return List.copyOf(keys);
    }

    /// A check by gRPC speaks HTTP/2, and so must the backends.
    private static void checkProtocol(Values values) {
        if (values.of(HEALTH).check() != Health.Check.GRPC) return;
        var protocol = values.of(PROTOCOL);
        boolean speaksIt =
                protocol == HttpVersion.HTTP_2 || (protocol == HttpVersion.NEGOTIATED && values.has(TlsKeys.BACKENDS));
        if (speaksIt) return;
        throw values.refused(
                HEALTH, "check: grpc needs HTTP/2: set the upstream's protocol to h2, or check by http or tcp");
    }

    private static ConfiguredUpstream upstream(Values values) {
        var source = EndpointKeys.source(values);
        TlsKeys.check(values, source);
        checkProtocol(values);
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
                .host(values.of(HOST))
                .version(values.of(PROTOCOL));
        var sticky = values.optional(BalanceKeys.STICKY).map(settings::sticky).orElse(settings);
        var announced =
                values.optional(PROXY_OUT).map(sticky::sendProxyProtocol).orElse(sticky);
        var tls = values.optional(TlsKeys.BACKENDS);
        return new ConfiguredUpstream(
                tls.map(its -> announced.tls(its.client())).orElse(announced),
                values.of(LOOPS),
                tls.map(BackendTls::files).orElse(List.of()));
    }
}
