package io.millrace.proxy.configuration.file;

import io.millrace.http.filter.Network;
import io.millrace.http.filter.RateLimit;
import io.millrace.proxy.configuration.GateSettings;
import io.millrace.proxy.configuration.GateSettings.AccessSettings;
import io.millrace.proxy.configuration.GateSettings.BasicAuthSettings;
import io.millrace.proxy.configuration.GateSettings.WebSocketsSettings;
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

/// Which clients get through, for listeners and for routes.
final class GateKeys {
    private static final Key<List<Network>> ALLOW = Key.optional(
            "allow",
            Listing.of(Words.NETWORK),
            "Only clients with these addresses get through. Without it, all that are not denied.");
    private static final Key<List<Network>> DENY = Key.optional(
            "deny",
            Listing.of(Words.NETWORK),
            "Clients with these addresses do not get through, even if they are allowed.");
    private static final Key<Long> REQUESTS =
            Key.required("requests", new WholeNumber(1, 1_000_000_000, "requests"), "How many, in the time `per`.");
    private static final Key<Long> BURST = Key.optional(
            "burst",
            new WholeNumber(1, 1_000_000_000, "requests"),
            "How many at once, after a pause. By default as many as `requests`.");
    private static final Key<Duration> PER = Key.standard(
            "per",
            Words.duration(Duration.ofSeconds(1), Duration.ofDays(1)),
            Duration.ofSeconds(1),
            "The time for `requests`.");
    private static final Key<String> HEADER = Key.optional(
            "header",
            Words.FIELD,
            "Counts by the value of this field, instead of by address; several lines are one value. A value not"
                    + " seen lately counts for its address, too, so that a client that makes up a new value"
                    + " for each request is limited like one address. Behind a load balancer, set `real-ip`.");
    private static final Key<Boolean> ALL =
            Key.standard("all", Words.FLAG, false, "Counts all clients together, instead of each address.");
    private static final Key<Long> MAX_KEYS = Key.standard(
            "max-keys",
            new WholeNumber(1, 10_000_000, "keys"),
            (long) RateLimit.STANDARD_KEYS,
            "How many addresses or values are remembered; beyond that, the least recently seen are forgotten.");

    static final Key<AccessSettings> ACCESS = Key.optional(
            "access",
            KeyTable.of(
                            "access",
                            "Which clients get through, by address: the one in a trusted PROXY header, or else"
                                    + " the connection's. Others get 403; on layer 4 their connections are"
                                    + " reset.",
                            AccessSettings.class)
                    .key(ALLOW, List.of())
                    .key(DENY, List.of())
                    .with(Rule.atLeastOneOf(ALLOW, DENY))
                    .section(),
            "Which clients get through, by address.");

    static final Key<RateLimit> RATE_LIMIT = Key.optional(
            "rate-limit",
            Section.of(
                            "rate limit",
                            "How often clients get through: a token bucket for each address (for IPv6, its first"
                                    + " 64 bits). Layer 7 counts requests and answers those above the limit"
                                    + " with 429; layer 4 counts connections and resets those above it.",
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
                            "Names and passwords (RFC 7617). A request without a correct one gets 401, one with"
                                    + " two `Authorization` fields 400. After 10 wrong passwords a client"
                                    + " gets 429, and may try again every 10 s; passwords that were correct"
                                    + " before still work. Passwords are not encrypted: use TLS.",
                            BasicAuthSettings.class)
                    .keyOr(
                            "realm",
                            Scalar.text("a name", "[ !#-\\[\\]-~]{1,100}", "Staff only"),
                            "millrace",
                            "What a browser shows to the user.")
                    .required(
                            "users",
                            Named.of("user", "[!-9;-~]{1,64}", Words.PASSWORD),
                            "Password hashes by user name: PBKDF2 with HMAC-SHA-256.")
                    .section(),
            "Names and passwords.");

    private static final WholeNumber SOCKETS = new WholeNumber(0, 10_000_000, "WebSockets");

    static final Key<WebSocketsSettings> WEBSOCKETS = Key.optional(
            "websockets",
            KeyTable.of(
                            "websockets",
                            "How many WebSockets are open at a time; a request for a further one gets 503 with"
                                    + " `Retry-After`. Those count that were opened with the same numbers, before a"
                                    + " reload, too.",
                            WebSocketsSettings.class)
                    .keyOr("max", SOCKETS, 0L, "Of all clients together; 0 for any number (`http.websocket.open`).")
                    .keyOr(
                            "max-per-address",
                            SOCKETS,
                            0L,
                            "Of one client address; 0 for any number (`http.websocket.open-per-address`).")
                    .section(),
            "How many WebSockets are open at a time.");

    private GateKeys() {}

    private static RateLimit rateLimit(Values values) {
        int requests = values.of(REQUESTS).intValue();
        int burst = values.optional(BURST).map(Long::intValue).orElse(requests);
        var rate = RateLimit.of(requests, values.of(PER), burst)
                .keys(values.of(MAX_KEYS).intValue());
        if (values.of(ALL)) return rate.together();
        return values.optional(HEADER).map(rate::byHeader).orElse(rate);
    }

    /// The values of the keys above.
    static GateSettings gate(Values values) {
        return new GateSettings(
                values.optional(ACCESS),
                values.optional(RATE_LIMIT),
                values.optional(BASIC_AUTH),
                values.optional(WEBSOCKETS));
    }
}
