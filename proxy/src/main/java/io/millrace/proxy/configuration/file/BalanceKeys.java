package io.millrace.proxy.configuration.file;

import io.millrace.http.Cookie.SameSite;
import io.millrace.proxy.UpstreamSettings.HashKey;
import io.millrace.proxy.backend.Balance;
import io.millrace.proxy.backend.StickyCookie;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Shape.TextOr;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;

/// How requests are shared among backends.
final class BalanceKeys {
    /// The values of both keys of an upstream.
    record Balancing(Balance balance, HashKey hash) {}

    private static final Balance STANDARD = Balance.LEAST_REQUESTS;

    private static final Choice<Balance.Way> WAYS = Choice.of(Balance.Way.class);

    private static final Key<Balance.Way> WAY = Key.standard(
            "way",
            WAYS,
            STANDARD.way(),
            "In turn, the one with the fewest requests, the better of two, at random, or by a key.");
    private static final Key<String> HEADER = Key.optional(
            "header",
            Words.FIELD,
            "The key is this field's value; without it, the client's address. With `way: hash`.");
    private static final Key<String> COOKIE = Key.optional(
            "cookie",
            Scalar.text("a name of a cookie", Words.FIELD.form(), "session"),
            "The key is this cookie's value; without it, the client's address. With `way: hash`.");
    private static final Key<String> SPLIT_HEADER =
            Key.optional("header", HEADER.shape(), "This field's value; without it, the client's address.");
    private static final Key<String> SPLIT_COOKIE =
            Key.optional("cookie", COOKIE.shape(), "This cookie's value; without it, the client's address.");

    /// The key of a split, other than the client's address.
    static final Section<Optional<HashKey>> SPLIT_KEY = Section.of(
                    "split key",
                    "The part of a request that decides which upstream gets it.",
                    values -> Optional.of(hash(values, SPLIT_HEADER, SPLIT_COOKIE)),
                    SPLIT_HEADER,
                    SPLIT_COOKIE)
            .with(Rule.exactlyOneOf(SPLIT_HEADER, SPLIT_COOKIE));

    private static final Key<Duration> SLOW_START = Key.standard(
            "slow-start",
            Words.duration(Duration.ZERO, Duration.ofHours(1)),
            STANDARD.slowStart(),
            "How long the weight of a backend that is new, or healthy again, takes to rise to its full value.");
    private static final Key<Long> ENOUGH = Key.standard(
            "spillover-threshold",
            new WholeNumber(1, 100, "percent"),
            (long) STANDARD.spilloverThresholdPercent(),
            "A zone or priority gets all requests as long as this much of its weight is healthy; below that, the"
                    + " next one gets a part.");
    private static final Key<String> ZONE =
            Key.optional("zone", Words.ZONE, "The zone whose backends are preferred, usually that of the proxy.");

    private static final Section<Balancing> SECTION = Section.of(
                    "balance",
                    "How requests are shared among the backends of an upstream.",
                    BalanceKeys::balancing,
                    WAY,
                    HEADER,
                    COOKIE,
                    SLOW_START,
                    ENOUGH,
                    ZONE)
            .with(rules())
            .was("enough", "spillover-threshold");

    static final Key<Balancing> KEY;

    static {
        var words = new LinkedHashMap<String, Balancing>();
        WAYS.words().forEach((word, way) -> words.put(word, new Balancing(Balance.of(way), HashKey.SOURCE)));
        var shape = new TextOr<>(new Choice<>(words), SECTION);
        var standard = words.get(WAYS.text(STANDARD.way()));
        KEY = Key.standard(
                "balance",
                shape,
                java.util.Objects.requireNonNull(standard),
                "How requests are shared: a word, or a mapping.");
    }

    private static final Key<String> NAME = Key.required("cookie", COOKIE.shape(), "The name of the cookie.");
    private static final Key<String> SECRET = Key.required(
            "secret",
            Scalar.text("a secret of 16 characters or more", "[!-~]{16,256}", "${STICKY_SECRET}")
                    .secret(),
            "What the cookie's values are made with; the same for all proxies that share clients.");
    private static final Key<String> PATH = Key.standard(
            "path",
            Scalar.text("a path of a cookie", "/[ -:<-~]{0,1000}", "/"),
            "/",
            "The paths that it comes back to: this one and those below.");
    private static final Key<SameSite> SAME_SITE = Key.standard(
            "same-site",
            Choice.of(SameSite.class),
            SameSite.LAX,
            "Whether it comes with requests that other sites cause: never, when the user follows a link, or always;"
                    + " with `none` it is always `Secure`.");
    private static final Key<Duration> MAX_AGE = Key.optional(
            "max-age",
            Words.duration(Duration.ofSeconds(1), Duration.ofDays(400)),
            "How long browsers keep it, in whole seconds; by default until their session ends.");

    static final Key<StickyCookie> STICKY = Key.optional(
            "sticky",
            Section.of(
                    "sticky",
                    "A cookie by which a client's requests go to the same backend, as long as that can take them;"
                            + " then another one gets them, and the client a new cookie. The value is a hash that"
                            + " tells no address, and one that is no backend's is ignored. The cookie is"
                            + " `HttpOnly`, and `Secure` if the request came over TLS, or with `scheme: https`.",
                    BalanceKeys::sticky,
                    NAME,
                    SECRET,
                    PATH,
                    SAME_SITE,
                    MAX_AGE),
            "A cookie by which a client stays with its backend; it goes before `balance`. Layer 7.");

    private BalanceKeys() {}

    private static StickyCookie sticky(Values values) {
        var cookie = StickyCookie.of(values.of(NAME), values.of(SECRET))
                .path(values.of(PATH))
                .sameSite(values.of(SAME_SITE));
        return values.optional(MAX_AGE).map(cookie::maxAge).orElse(cookie);
    }

    private static Rule[] rules() {
        var rules = new ArrayList<Rule>();
        rules.add(Rule.atMostOneOf(HEADER, COOKIE));
        for (var way : Balance.Way.values()) {
            if (way != Balance.Way.HASH) rules.add(new Rule.When<>(WAY, way, List.of(), List.of(HEADER, COOKIE)));
        }
        return rules.toArray(Rule[]::new);
    }

    private static Balancing balancing(Values values) {
        var balance = Balance.of(values.of(WAY))
                .slowStart(values.of(SLOW_START))
                .spilloverThresholdPercent(values.of(ENOUGH).intValue())
                .zone(values.optional(ZONE).orElse(""));
        return new Balancing(balance, hash(values, HEADER, COOKIE));
    }

    private static HashKey hash(Values values, Key<String> header, Key<String> cookie) {
        if (values.has(header)) return HashKey.header(values.of(header));
        if (values.has(cookie)) return HashKey.cookie(values.of(cookie));
        return HashKey.SOURCE;
    }
}
