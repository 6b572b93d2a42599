package io.millrace.proxy.configuration.file;

import io.millrace.proxy.backend.Health;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.KeyTable;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.WholeNumber;
import java.time.Duration;
import java.util.List;

/// Whether backends are healthy; the defaults are those of [Health].
final class HealthKeys {
    static final Health STANDARD = Health.passive();

    private static final WholeNumber PERCENT = new WholeNumber(0, 100, "percent");
    private static final WholeNumber TIMES = new WholeNumber(1, 1000, "times");

    private static final Key<Health.Check> CHECK = Key.standard(
            "check",
            Choice.of(Health.Check.class),
            STANDARD.check(),
            "How a backend is checked: not at all, by connecting, by a request of HTTP, or by gRPC's protocol for health"
                    + " checks. `grpc` needs an upstream with `protocol: h2`, or `auto` over TLS.");
    private static final Key<String> PATH = Key.optional(
            "path",
            Scalar.text("a path", "/[!-\"$-~]*", "/healthz"),
            "The path to request, with an optional query. With `check: http`.");
    private static final Key<String> HOST = Key.optional(
            "host",
            Words.AUTHORITY,
            "The Host field of a check; by default the backend's address. With `check: http` or `grpc`.");
    private static final Key<String> SERVICE = Key.optional(
            "service-name",
            Scalar.text("the name of a service of gRPC", "[!-~]{1,200}", "greet.Greeter"),
            "The service that is asked for; by default the server as a whole. With `check: grpc`.");
    private static final Key<String> STATUSES = Key.optional(
            "statuses",
            Scalar.text("a range of statuses", "[2-5][0-9]{2}-[2-5][0-9]{2}", "200-299"),
            "The statuses that pass; by default 200-299. With `check: http`.");
    private static final Key<Duration> EJECTION = Key.standard(
            "ejection-time",
            ejection(),
            STANDARD.ejectionTime(),
            "How long the first ejection lasts; the second"
                    + " lasts twice as long, the third three times, and so on.");
    private static final Key<Duration> MAX_EJECTION = Key.standard(
            "max-ejection-time", ejection(), STANDARD.maxEjectionTime(), "How long an ejection lasts at most.");

    static final Section<Health> SECTION = KeyTable.of(
                    "health",
                    "Whether backends are healthy: active checks, and ejection of those whose requests fail.",
                    STANDARD)
            .begin(HealthKeys::begin, CHECK, PATH, HOST, STATUSES, SERVICE)
            .key("interval", time(), "The time from an answer to the next check.")
            .key(
                    "jitter",
                    PERCENT,
                    "How far an interval varies at random, so that many checks do not come at the same time.")
            .key("timeout", time(), "How long a check may take, connecting included.")
            .key("healthy-threshold", TIMES, "How many checks in a row must pass until a backend is healthy again.")
            .key("unhealthy-threshold", TIMES, "How many checks in a row must fail until a backend is unhealthy.")
            .key("initially-healthy", Words.FLAG, "Whether a backend gets requests before its first check ends.")
            .key("ejection-failures", TIMES, "How many requests in a row must fail until a backend is ejected.")
            .key(
                    "ejection-statuses",
                    new Listing<>(new WholeNumber(500, 599, ""), 0),
                    "Statuses that count as failures. By default none: a backend fails if it cannot be reached,"
                            + " resets, times out, or sends an invalid response.")
            .key(EJECTION)
            .key(MAX_EJECTION)
            .key(
                    "max-ejected",
                    PERCENT,
                    "The largest share of the backends that may be ejected at a time, counting unhealthy and"
                            + " disabled ones; 0 ejects none.")
            .key(
                    "panic-threshold",
                    PERCENT,
                    "If fewer of the backends than this are available, all are used except disabled ones; 0 for"
                            + " never.")
            .with(
                    new Rule.When<>(CHECK, Health.Check.HTTP, List.of(PATH), List.of(SERVICE)),
                    new Rule.When<>(CHECK, Health.Check.GRPC, List.of(), List.of(PATH, STATUSES)),
                    new Rule.When<>(CHECK, Health.Check.TCP, List.of(), List.of(PATH, HOST, STATUSES, SERVICE)),
                    new Rule.When<>(CHECK, Health.Check.NONE, List.of(), List.of(PATH, HOST, STATUSES, SERVICE)))
            .was("well-after", "healthy-threshold")
            .was("unwell-after", "unhealthy-threshold")
            .was("initially-well", "initially-healthy")
            .was("eject-after", "ejection-failures")
            .was("eject-statuses", "ejection-statuses")
            .was("ejection", "ejection-time")
            .was("longest-ejection", "max-ejection-time")
            .was("most-ejected", "max-ejected")
            .was("panic", "panic-threshold")
            .section();

    private HealthKeys() {}

    private static Scalar<Duration> time() {
        return Words.duration(Duration.ofMillis(10), Duration.ofHours(1));
    }

    private static Scalar<Duration> ejection() {
        return Words.duration(Duration.ofMillis(100), Duration.ofDays(1));
    }

    private static Health begin(Values values) {
        if (values.of(MAX_EJECTION).compareTo(values.of(EJECTION)) < 0) {
            throw values.refused(
                    MAX_EJECTION, "it is less than ejection-time: make it larger, or ejection-time smaller");
        }
        return checks(values);
    }

    private static Health checks(Values values) {
        return switch (values.of(CHECK)) {
            case NONE -> Health.passive();
            case TCP -> Health.tcp();
            case HTTP -> http(values);
            case GRPC ->
                Health.grpc(values.optional(SERVICE).orElse(""))
                        .host(values.optional(HOST).orElse(""));
        };
    }

    private static Health http(Values values) {
        var health = Health.http(values.optional(PATH).orElseThrow())
                .host(values.optional(HOST).orElse(""));
        if (!values.has(STATUSES)) return health;
        var statuses = values.of(STATUSES);
        int least = Integer.parseInt(statuses.substring(0, 3));
        int most = Integer.parseInt(statuses.substring(4));
        if (least > most) throw values.refused(STATUSES, "write the smaller one first");
        return health.statuses(least, most);
    }
}
