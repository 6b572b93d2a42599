package io.millrace.proxy.configuration.file;

import io.millrace.proxy.backend.Endpoint;
import io.millrace.proxy.backend.EndpointSource;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import io.millrace.proxy.upstream.DnsSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// Where the servers of an upstream are.
final class EndpointKeys {
    private static final Section<Endpoint> ENDPOINT = KeyTable.of(
                    "endpoint", "A server, with its address and more.", Endpoint.class)
            .required("address", AddressTexts.OTHER, "`HOST:PORT`, or `unix:PATH` for a Unix socket.")
            .keyOr("weight", new WholeNumber(1, 1000, "parts"), 1L, "Its share of the work, relative to the others'.")
            .keyOr(
                    "priority",
                    new WholeNumber(0, 100, ""),
                    0L,
                    "Servers with 0 are used first; those with a higher number get what lower ones cannot take.")
            .optional("zone", Words.ZONE, "", "The zone that it is in.")
            .section();

    private static final Scalar<Endpoint> SHORT = Scalar.of(
            AddressTexts.OTHER.name(),
            AddressTexts.OTHER.form(),
            AddressTexts.OTHER.example(),
            text -> Endpoint.of(AddressTexts.other(text)),
            endpoint -> AddressTexts.text(endpoint.address()));

    private static final Key<List<Endpoint>> LIST = Key.optional(
            "endpoints", Listing.of(new TextOr<>(SHORT, ENDPOINT)), "The servers: each an address, or a mapping.");
    private static final Key<Path> FILE = Key.optional(
            "endpoints-file",
            Words.FILE,
            "A file with an address on each line, read again when it changes. Relative to the folder of the"
                    + " configuration.");

    private static final Key<DnsSource.Type> TYPE = Key.standard(
            "type",
            Choice.of(DnsSource.Type.class),
            DnsSource.Type.ADDRESS,
            "`address` for A and AAAA records, `srv` for SRV records, which also have ports, priorities and weights.");
    private static final Key<Long> PORT =
            Key.optional("port", new WholeNumber(1, 0xffff, ""), "The servers' port. With `type: address`.");
    private static final Key<Duration> MIN_TTL = Key.standard(
            "min-ttl",
            keeping(),
            DnsSource.STANDARD_MIN_TTL,
            "The shortest time that an answer is kept, even if its TTL is shorter.");
    private static final Section<DnsSource> DNS_SECTION = KeyTable.of(
                    "dns",
                    "Servers from DNS, looked up again when an answer expires. If a lookup fails, the last answer"
                            + " stays in use.",
                    DnsSource.class)
            .required("name", Words.NAME, "The name to look up.")
            .key(TYPE)
            .key(PORT, 0L)
            .optional(
                    "servers",
                    Listing.of(AddressTexts.LITERAL),
                    List.of(),
                    "Name servers to ask, in this order, instead of the system's and its hosts file.")
            .key(MIN_TTL)
            .keyOr(
                    "max-ttl",
                    keeping(),
                    DnsSource.STANDARD_MAX_TTL,
                    "The longest time that an answer is kept, even if its TTL is longer.")
            .with(
                    new Rule.When<>(TYPE, DnsSource.Type.ADDRESS, List.of(PORT), List.of()),
                    new Rule.When<>(TYPE, DnsSource.Type.SRV, List.of(), List.of(PORT)))
            .was("least", "min-ttl")
            .was("most", "max-ttl")
            .checked(EndpointKeys::checkTtl)
            .section();
    private static final Key<DnsSource> DNS = Key.optional("dns", DNS_SECTION, "Servers from DNS.");

    /// The keys of an upstream, of which it has exactly one.
    static final List<Key<?>> KEYS = List.of(LIST, FILE, DNS);

    static final Rule RULE = Rule.exactlyOneOf(LIST, FILE, DNS);

    private EndpointKeys() {}

    private static Scalar<Duration> keeping() {
        return Words.duration(Duration.ofSeconds(1), Duration.ofDays(1));
    }

    private static void checkTtl(Values values, DnsSource dns) {
        if (dns.minTtl().compareTo(dns.maxTtl()) <= 0) return;
        throw values.refused(MIN_TTL, "it is more than max-ttl: make it smaller, or max-ttl larger");
    }

    static EndpointSource source(Values values) {
        var list = values.optional(LIST);
        if (list.isPresent()) return EndpointSource.of(list.get());
        var file = values.optional(FILE);
        if (file.isPresent()) return EndpointSource.file(file.get());
        return values.optional(DNS).orElseThrow();
    }
}
