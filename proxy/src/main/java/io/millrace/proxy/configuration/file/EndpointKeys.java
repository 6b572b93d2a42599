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
                    "endpoint", "A server, with more than its address.", Endpoint.class)
            .required("address", AddressTexts.OTHER, "`HOST:PORT`, or `unix:PATH` for a Unix socket.")
            .keyOr(
                    "weight",
                    new WholeNumber(1, 1000, "parts"),
                    1L,
                    "Its share of the work, relative to that of the others.")
            .keyOr(
                    "priority",
                    new WholeNumber(0, 100, ""),
                    0L,
                    "0 is asked first; higher ones get what those before them cannot take.")
            .optional("zone", Words.ZONE, "", "Where it is.")
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
            "A file with an address on each line, which is watched. Relative to the folder of the configuration.");

    private static final Key<DnsSource.Type> TYPE = Key.standard(
            "type",
            Choice.of(DnsSource.Type.class),
            DnsSource.Type.ADDRESS,
            "`address` for A and AAAA records, `srv` for SRV records, which have ports, priorities and weights, too.");
    private static final Key<Long> PORT =
            Key.optional("port", new WholeNumber(1, 0xffff, ""), "Of the servers, with `type: address`.");
    private static final Key<Duration> MIN_TTL = Key.standard(
            "min-ttl",
            keeping(),
            DnsSource.STANDARD_MIN_TTL,
            "An answer is kept so long at least, though it may expire earlier.");
    private static final Section<DnsSource> DNS_SECTION = KeyTable.of(
                    "dns",
                    "Servers that DNS names; asked again when an answer has expired. While nobody answers, the last answer"
                            + " stands.",
                    DnsSource.class)
            .required("name", Words.NAME, "What is looked up.")
            .key(TYPE)
            .key(PORT, 0L)
            .optional(
                    "servers",
                    Listing.of(AddressTexts.LITERAL),
                    List.of(),
                    "Name servers that are asked, in this order, instead of those of the system and its file of hosts.")
            .key(MIN_TTL)
            .keyOr(
                    "max-ttl",
                    keeping(),
                    DnsSource.STANDARD_MAX_TTL,
                    "An answer is kept so long at most, though it may be good for longer.")
            .with(
                    new Rule.When<>(TYPE, DnsSource.Type.ADDRESS, List.of(PORT), List.of()),
                    new Rule.When<>(TYPE, DnsSource.Type.SRV, List.of(), List.of(PORT)))
            .was("least", "min-ttl")
            .was("most", "max-ttl")
            .checked(EndpointKeys::checkTtl)
            .section();
    private static final Key<DnsSource> DNS = Key.optional("dns", DNS_SECTION, "Servers that DNS names.");

    /// The keys of an upstream; one of them is there.
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
