package io.millrace.proxy.configuration.file;

import io.millrace.proxy.backend.Health;
import io.millrace.proxy.configuration.shape.Choice;
import io.millrace.proxy.configuration.shape.Key;
import io.millrace.proxy.configuration.shape.Listing;
import io.millrace.proxy.configuration.shape.Rule;
import io.millrace.proxy.configuration.shape.Scalar;
import io.millrace.proxy.configuration.shape.Section;
import io.millrace.proxy.configuration.shape.Values;
import io.millrace.proxy.configuration.shape.Whole;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/// Whether backends are healthy; the standards are those of [Health].
final class HealthKeys {
    static final Health STANDARD = Health.passive();

    private static final Whole PERCENT = new Whole(0, 100, "percent");
    private static final Whole TIMES = new Whole(1, 1000, "times");

    private static final Key<Health.Check> CHECK = Key.standard(
            "check",
            Choice.of(Health.Check.class),
            STANDARD.check(),
            "What is asked: nothing, whether a connection can be made, or a path.");
    private static final Key<String> PATH = Key.optional(
            "path",
            Scalar.text("a path", "/[!-\"$-~]*", "/healthz"),
            "What is asked for, with an optional query. Of `check: http`.");
    private static final Key<String> HOST = Key.optional(
            "host",
            Words.AUTHORITY,
            "The Host field of a check; by default the address of the backend. Of `check: http`.");
    private static final Key<String> STATUSES = Key.optional(
            "statuses",
            Scalar.text("a range of statuses", "[2-5][0-9]{2}-[2-5][0-9]{2}", "200-299"),
            "Those that are good; by default 200-299. Of `check: http`.");
    private static final Key<Duration> INTERVAL =
            Key.standard("interval", time(), STANDARD.interval(), "From an answer to the next check.");
    private static final Key<Long> JITTER = Key.standard(
            "jitter",
            PERCENT,
            (long) STANDARD.jitterPercent(),
            "How much longer or shorter luck makes an interval, so that many checks do not come at one moment.");
    private static final Key<Duration> TIMEOUT =
            Key.standard("timeout", time(), STANDARD.timeout(), "How long a check may take, with its connection.");
    private static final Key<Long> GOOD = Key.standard(
            "well-after",
            TIMES,
            (long) STANDARD.healthyThreshold(),
            "So many good answers in a row make a backend well again.");
    private static final Key<Long> BAD = Key.standard(
            "unwell-after",
            TIMES,
            (long) STANDARD.unhealthyThreshold(),
            "So many bad answers in a row make a backend unwell.");
    private static final Key<Boolean> INITIALLY = Key.standard(
            "initially-well",
            Words.FLAG,
            STANDARD.initiallyHealthy(),
            "Whether a backend gets requests before its first check is answered.");

    private static final Key<Long> FAILURES = Key.standard(
            "eject-after",
            TIMES,
            (long) STANDARD.ejectionFailures(),
            "A backend is ejected when so many of its requests have failed in a row.");
    private static final Key<List<Long>> EJECTING = Key.standard(
            "eject-statuses",
            new Listing<>(new Whole(500, 599, ""), 0),
            List.of(),
            "Statuses that count as failures. By default none: what counts is that a backend cannot be reached, resets, says"
                    + " nothing in time, or sends what is no response.");
    private static final Key<Duration> EJECTION = Key.standard(
            "ejection",
            Words.duration(Duration.ofMillis(100), Duration.ofDays(1)),
            STANDARD.ejectionTime(),
            "How long; twice that the second time, and so on.");
    private static final Key<Duration> LONGEST = Key.standard(
            "longest-ejection",
            Words.duration(Duration.ofMillis(100), Duration.ofDays(1)),
            STANDARD.longestEjection(),
            "How long at most.");
    private static final Key<Long> EJECTED = Key.standard(
            "most-ejected",
            PERCENT,
            (long) STANDARD.mostEjectedPercent(),
            "Of the backends at a time, with those that are unwell or disabled; 0 ejects none.");
    private static final Key<Long> PANIC = Key.standard(
            "panic",
            PERCENT,
            (long) STANDARD.panicPercent(),
            "When fewer of the backends than this may be asked, all are, but for those that are disabled; 0 for never.");

    static final Section<Health> SECTION = Section.of(
                    "health",
                    "Whether backends are well: active checks, and ejection of those whose requests fail.",
                    HealthKeys::health,
                    CHECK,
                    PATH,
                    HOST,
                    STATUSES,
                    INTERVAL,
                    JITTER,
                    TIMEOUT,
                    GOOD,
                    BAD,
                    INITIALLY,
                    FAILURES,
                    EJECTING,
                    EJECTION,
                    LONGEST,
                    EJECTED,
                    PANIC)
            .with(
                    new Rule.When<>(CHECK, Health.Check.HTTP, List.of(PATH), List.of()),
                    new Rule.When<>(CHECK, Health.Check.TCP, List.of(), List.of(PATH, HOST, STATUSES)),
                    new Rule.When<>(CHECK, Health.Check.NONE, List.of(), List.of(PATH, HOST, STATUSES)));

    private HealthKeys() {}

    private static Scalar<Duration> time() {
        return Words.duration(Duration.ofMillis(10), Duration.ofHours(1));
    }

    private static Health health(Values values) {
        if (values.of(LONGEST).compareTo(values.of(EJECTION)) < 0) {
            throw values.refused(LONGEST, "it is less than ejection: make it larger, or ejection smaller");
        }
        var health = checks(values)
                .interval(values.of(INTERVAL))
                .jitterPercent(values.of(JITTER).intValue())
                .timeout(values.of(TIMEOUT))
                .healthyThreshold(values.of(GOOD).intValue())
                .unhealthyThreshold(values.of(BAD).intValue())
                .initiallyHealthy(values.of(INITIALLY))
                .ejectionFailures(values.of(FAILURES).intValue())
                .ejectionTime(values.of(EJECTION));
        return health.longestEjection(values.of(LONGEST))
                .mostEjectedPercent(values.of(EJECTED).intValue())
                .ejectionStatuses(
                        values.of(EJECTING).stream().map(Long::intValue).collect(Collectors.toSet()))
                .panicPercent(values.of(PANIC).intValue());
    }

    private static Health checks(Values values) {
        return switch (values.of(CHECK)) {
            case NONE -> Health.passive();
            case TCP -> Health.tcp();
            case HTTP -> http(values);
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
