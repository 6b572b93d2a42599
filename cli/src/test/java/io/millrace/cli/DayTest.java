package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.cli.DaySamples.Growth;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.Pebble;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// A day of operation in an hour: everything that an operator does to a proxy, and that happens to it, under load.
/// `-Dday.minutes=60` says how long, 2 by default; `-Dday.seed=7` repeats the steps of a run. What the service said is
/// in `target/day`.
@Timeout(value = 7000, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
@Tag("long")
@EnabledOnOs(OS.LINUX)
class DayTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Duration LENGTH =
            Duration.ofSeconds((long) (60 * Double.parseDouble(System.getProperty("day.minutes", "2"))));
    private static final Duration ROUND = Duration.ofSeconds(110);
    private static final long SEED = Long.getLong("day.seed", System.nanoTime() & 0xffff_ffffL);

    /// Renewed after five sixths of it.
    private static final long CERTIFICATE_SECONDS = Math.clamp(LENGTH.toSeconds() / 5, 40, 600);

    /// What a process may grow by from its second quarter to its last one: the heap is allowed 96 MiB.
    private static final long TOLERANCE_MEBIBYTES = 24;

    private static final int WARM_SECONDS = 40;

    /// What the service may warn of.
    private static final Pattern EXPECTED = Pattern.compile(String.join(
            "|",
            ".* is unhealthy, and gets no requests: .*",
            ".* is ejected for .*",
            ".* cannot be reached: .*",
            ".* fails, and stays in use, because .*",
            "process \\d+ has cut \\d+ connections?, .*",
            ".*proxy\\.yaml is not used, and the configuration before stays in force: .*",
            "process \\d+ ended with 1, and does not take over: .*",
            "the access log .*: lines are lost.*",
            "the access log .* lines were lost.*",
            // What is issued while the clock is wrong is never right, and a process may end meanwhile.
            "no certificate for www.example.org: .*",
            // Limits that acted: of checks and of clients, and where the machine has much else to do.
            "guard \\S+ acted .*"));

    private static final Pattern WARNING = Pattern.compile("\\S+Z WARNING \\S+: (.*)");

    @TempDir
    private Path folder;

    private final DayAccount account = new DayAccount();

    @BeforeAll
    static void everything_it_needs_is_there() throws Exception {
        DayService.check();
    }

    @Test
    void no_request_fails_without_a_line_that_says_why_and_memory_stays() throws Exception {
        System.out.println("a day of " + LENGTH + " with -Dday.seed=" + SEED);
        var backends = ports(3);
        var doors = ports(3);
        int admin = Machine.freePort();
        try (var pebble = Pebble.start(folder, doors.get(0), doors.get(1), validity());
                var processes = new DayBackends(backends);
                var service = new DayService(folder, doors, admin)) {
            var template = Files.writeString(folder.resolve("template.yaml"), text(pebble, doors, backends, admin));
            var steps = new DaySteps(service, processes, doors.get(0), template, new Random(SEED), account::read);
            steps.configure();
            service.begin();
            for (var backend : backends)
                service.awaitMetric("millrace_backend_healthy{layer=\"7\",upstream=\"app\",backend=\"127.0.0.1:"
                        + backend + "\"} 1");
            var samples = new DaySamples(service, doors.get(1));
            try (samples) {
                DayService.await(() -> !samples.certificates.isEmpty(), "a certificate");
                var load = new DayLoad(doors, SEED);
                try (load) {
                    pass(steps);
                }
                service.end();
                steps.readLogs();
                check(load, samples, steps, service);
            }
        }
    }

    private static List<Integer> ports(int count) throws IOException {
        var ports = new ArrayList<Integer>();
        for (int i = 0; i < count; i++) ports.add(Machine.freePort());
        return ports;
    }

    private static String validity() {
        return ", \"profiles\": {\"default\": {\"description\": \"short\", \"validityPeriod\": " + CERTIFICATE_SECONDS
                + "}}";
    }

    private static String text(Pebble pebble, List<Integer> doors, List<Integer> backends, int admin) {
        var endpoints = new StringBuilder();
        for (int port : backends) endpoints.append("      - {address: '127.0.0.1:" + port + "', weight: WEIGHT}\n");
        return """
                listeners:
                  plain: {address: '127.0.0.1:%d'}
                  secure:
                    address: 127.0.0.1:%d
                    tls:
                      certificates:
                        - fallback: true
                          acme:
                            names: [www.example.org]
                            directory: %s
                            authorities: %s
                            storage: acme
                            terms-agreed: true
                  bytes: {address: '127.0.0.1:%d', layer: 4, upstream: bytes}
                routes:
                  clock:
                    match: {path: /clock}
                    respond: {body: tick}
                    response-headers: {set: {X-Revision: 'REVISION'}}
                  all: {upstream: app}
                upstreams:
                  app:
                    endpoints:
                ENDPOINTS    health: HEALTH
                    timeouts: {connect: 3s, first-byte: 5s, idle: 5s, keepalive: 15s}
                    retries: {buffer: 64KiB}
                  bytes:
                    endpoints:
                ENDPOINTS    health: HEALTH
                    timeouts: {connect: 3s, idle: 5s}
                access-log:
                  format: '{time} {path} {status} {backend} {attempts} "{failure}"'
                  file: disk/access.log
                admin: {address: '127.0.0.1:%d'}
                runtime: {hand-over: next.sock, loops: 2}
                drain-timeout: 10s
                """.formatted(doors.get(0), doors.get(1), pebble.directory(), pebble.authorities(), doors.get(2), admin)
                .replace("ENDPOINTS", endpoints)
                .replace(
                        "HEALTH",
                        "{check: http, path: /healthz, interval: 300ms, timeout: 2s, healthy-threshold: 1, unhealthy-threshold: 3}");
    }

    /// In the middle third of a long day no process ends, so that one of them has time to grow.
    private static void pass(DaySteps steps) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        int rounds = Math.max(1, (int) LENGTH.dividedBy(ROUND));
        long roundNanos = LENGTH.toNanos() / rounds;
        for (int i = 0; i < rounds; i++) {
            boolean isQuiet = rounds > 2 && i >= rounds / 3 && i < 2 * rounds / 3;
            for (var step : steps.round(isQuiet)) {
                long at = begin + i * roundNanos + (long) (step.at() * 0.8 * roundNanos);
                for (long left = at - System.nanoTime(); left > 0; left = at - System.nanoTime())
                    LockSupport.parkNanos(left);
                long from = System.nanoTime();
                step.action().run();
                System.out.println((from - begin) / 1_000_000 + " ms: " + step.name() + ", seen after "
                        + (System.nanoTime() - from) / 1_000_000 + " ms");
            }
        }
    }

    private void check(DayLoad load, DaySamples samples, DaySteps steps, DayService service) {
        var growth = samples.growth(WARM_SECONDS);
        long lost = DayAccount.lost(service.log);
        System.out.println("answered " + load.answered + ", failed " + load.failed.size() + ", sent again "
                + load.sentAgain.size() + ", lines " + account.lines() + ", lost " + lost + ", certificates "
                + samples.certificates.size() + ", memory " + growth);
        assertAll(
                () -> assertEquals(List.of(), account.unexplained(load.failed, steps, service.log), "not explained"),
                () -> assertEquals(List.of(), DayAccount.withoutCause(load.sentAgain, steps), "closed without a cause"),
                () -> assertEquals(List.of(), unexpected(service.log), "in the log"),
                () -> assertTrue(samples.certificates.size() > 1, "the certificate was renewed"),
                () -> assertTrue(account.lines() + lost >= load.logged.sum(), "a line for each request"),
                () -> assertEquals(
                        List.of(), growth.stream().filter(DayTest::isTooMuch).toList(), "memory"));
    }

    private static boolean isTooMuch(Growth one) {
        return one.endMebibytes() > one.warmMebibytes() + TOLERANCE_MEBIBYTES;
    }

    private static List<String> unexpected(DayLog log) {
        return log.all().stream()
                .map(DayLog.Line::text)
                .filter(DayTest::isUnexpected)
                .toList();
    }

    private static boolean isUnexpected(String line) {
        var warning = WARNING.matcher(line);
        if (warning.matches()) return !EXPECTED.matcher(warning.group(1)).matches();
        return line.contains(" ERROR ") || line.startsWith("\tat ") || line.contains("Exception");
    }
}
