package io.millrace.proxy.configuration.file;

import io.millrace.http.filter.Network;
import io.millrace.proxy.configuration.ForwardingSettings;
import io.millrace.proxy.configuration.ForwardingSettings.Fields;
import io.millrace.proxy.configuration.ForwardingSettings.Policy;
import io.millrace.proxy.configuration.ForwardingSettings.Tracing;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import java.util.List;
import java.util.Set;

/// What a request that is passed on says of its way.
final class ForwardingKeys {
    private static final ForwardingSettings STANDARD = ForwardingSettings.STANDARD;

    private static final Key<List<Fields>> FIELDS = Key.standard(
            "fields",
            new Listing<>(Choice.of(Fields.class), 0),
            List.copyOf(STANDARD.fields()),
            "Which tell the client's address: `X-Forwarded-For`, `-Host` and `-Proto`, or `Forwarded` (RFC 7239). Those that are"
                    + " not named here are taken away, so that no client can lie with them.");
    private static final Key<Policy> POLICY = Key.standard(
            "policy",
            Choice.of(Policy.class),
            STANDARD.policy(),
            "What becomes of those that came: `set` replaces them, `append` puts ours behind them, `trust` appends for clients in"
                    + " `trusted` and sets for others.");
    private static final Key<List<Network>> TRUSTED =
            Key.optional("trusted", Listing.of(Words.NETWORK), "Whose fields are believed. Of `policy: trust`.");
    private static final Key<String> VIA = Key.standard(
            "via",
            Scalar.text("a name for Via", Words.FIELD.form(), "edge-1"),
            STANDARD.via(),
            "Our name in the Via field (RFC 9110 section 7.6.3). A request that says it more than 8 times goes in circles, and is"
                    + " answered with 508.");
    private static final Key<Tracing> TRACING = Key.standard(
            "tracing",
            Choice.of(Tracing.class),
            STANDARD.tracing(),
            "What becomes of `traceparent` and `tracestate` (W3C Trace Context): `pass` passes on what is valid, `start`"
                    + " begins a trace where there is none, too, `off` takes them away.");
    private static final Key<List<String>> CONNECT = Key.optional(
            "connect",
            Listing.of(Words.TARGET),
            "Where CONNECT may lead, each `HOST:PORT`, or `*.DOMAIN:PORT` for all names below one, but not to addresses of this"
                    + " machine or its link. Without it CONNECT is refused.");

    static final Section<ForwardingSettings> SECTION = Section.of(
                    "forwarding",
                    "What a request that is passed on says of its way. Fields of one connection are always taken away, both ways"
                            + " (RFC 9110 section 7.6.1).",
                    values -> new ForwardingSettings(
                            Set.copyOf(values.of(FIELDS)),
                            values.of(POLICY),
                            values.optional(TRUSTED).orElse(List.of()),
                            values.of(VIA),
                            values.of(TRACING),
                            Set.copyOf(values.optional(CONNECT).orElse(List.of()))),
                    FIELDS,
                    POLICY,
                    TRUSTED,
                    VIA,
                    TRACING,
                    CONNECT)
            .with(
                    new Rule.When<>(POLICY, Policy.TRUST, List.of(TRUSTED), List.of()),
                    new Rule.When<>(POLICY, Policy.SET, List.of(), List.of(TRUSTED)),
                    new Rule.When<>(POLICY, Policy.APPEND, List.of(), List.of(TRUSTED)));

    private ForwardingKeys() {}
}
