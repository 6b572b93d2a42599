package io.millrace.proxy.configuration.file;

import io.millrace.http.filter.Network;
import io.millrace.http.filter.RateLimit;
import io.millrace.proxy.configuration.GateSettings;
import io.millrace.proxy.configuration.GateSettings.AccessSettings;
import io.millrace.proxy.configuration.GateSettings.BasicAuthSettings;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Named;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.time.Duration;
import java.util.List;

/// Who gets through; of listeners and of routes.
final class GateKeys {
    private static final Key<List<Network>> ALLOW = Key.optional(
            "allow",
            Listing.of(Words.NETWORK),
            "Only clients from there get through. Without it, all that are not denied.");
    private static final Key<List<Network>> DENY = Key.optional(
            "deny", Listing.of(Words.NETWORK), "Clients from there do not get through, also when they are allowed.");
    private static final Key<Long> REQUESTS =
            Key.required("requests", new WholeNumber(1, 1_000_000_000, "requests"), "How many in the time of `per`.");
    private static final Key<Long> BURST = Key.optional(
            "burst",
            new WholeNumber(1, 1_000_000_000, "requests"),
            "How many at once, after a time without any. By default as many as `requests`.");
    private static final Key<Duration> PER = Key.standard(
            "per", Words.duration(Duration.ofSeconds(1), Duration.ofDays(1)), Duration.ofSeconds(1), "The time.");
    private static final Key<String> HEADER = Key.optional(
            "header",
            Words.FIELD,
            "Each value of this field is counted for itself, instead of each address; several lines of it are one value. A"
                    + " value that was not seen lately counts for its address, too, so that values made up anew for each"
                    + " request are as many as requests of one address may be. Behind a balancer let there be `real-ip`.");
    private static final Key<Boolean> ALL =
            Key.standard("all", Words.FLAG, false, "Everybody is counted together, instead of each address.");
    private static final Key<Long> MAX_KEYS = Key.standard(
            "max-keys",
            new WholeNumber(1, 10_000_000, "keys"),
            (long) RateLimit.STANDARD_KEYS,
            "How many addresses or values are remembered; beyond, those that were quiet for the longest are forgotten.");

    static final Key<AccessSettings> ACCESS = Key.optional(
            "access",
            KeyTable.of(
                            "access",
                            "Which clients get through, by their addresses: those that a trusted PROXY protocol tells,"
                                    + " or else those of their connections. Others are answered with 403; on layer 4 their"
                                    + " connections are reset.",
                            AccessSettings.class)
                    .key(ALLOW, List.of())
                    .key(DENY, List.of())
                    .with(Rule.atLeastOneOf(ALLOW, DENY))
                    .section(),
            "Which clients get through, by their addresses.");

    static final Key<RateLimit> RATE_LIMIT = Key.optional(
            "rate-limit",
            Section.of(
                            "rate limit",
                            "How often clients get through: a token bucket for each address (the first 64 bits of one of"
                                    + " IPv6). On layer 7 it counts requests, and more are answered with 429; on layer 4"
                                    + " connections, and more are reset.",
                            GateKeys::rateLimit,
                            REQUESTS,
                            PER,
                            BURST,
                            HEADER,
                            ALL,
                            MAX_KEYS)
                    .was("keys", "max-keys")
                    .with(Rule.atMostOneOf(HEADER, ALL)),
            "How often clients get through.");

    static final Key<BasicAuthSettings> BASIC_AUTH = Key.optional(
            "basic-auth",
            KeyTable.of(
                            "basic auth",
                            "Names and passwords (RFC 7617); without a right one 401, with two `Authorization` fields 400."
                                    + " A client that was wrong 10 times gets 429, and may try again every 10 s; passwords"
                                    + " that were right before pass all the same. Passwords travel readably: let there be"
                                    + " TLS in front.",
                            BasicAuthSettings.class)
                    .keyOr(
                            "realm",
                            Scalar.text("a name", "[ !#-\\[\\]-~]{1,100}", "Staff only"),
                            "millrace",
                            "What a browser shows to its user.")
                    .required(
                            "users",
                            Named.of("user", "[!-9;-~]{1,64}", Words.PASSWORD),
                            "Hashes of passwords by the names of users: PBKDF2 with HMAC-SHA-256.")
                    .section(),
            "Names and passwords.");

    private GateKeys() {}

    private static RateLimit rateLimit(Values values) {
        int requests = values.of(REQUESTS).intValue();
        int burst = values.optional(BURST).map(Long::intValue).orElse(requests);
        var rate = RateLimit.of(requests, values.of(PER), burst)
                .keys(values.of(MAX_KEYS).intValue());
        if (values.of(ALL)) return rate.together();
        return values.optional(HEADER).map(rate::byHeader).orElse(rate);
    }

    /// Of the three keys above, which are keys of the section.
    static GateSettings gate(Values values) {
        return new GateSettings(values.optional(ACCESS), values.optional(RATE_LIMIT), values.optional(BASIC_AUTH));
    }
}
