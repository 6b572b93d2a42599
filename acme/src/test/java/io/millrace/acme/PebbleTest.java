package io.millrace.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Response;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.http.acme.AcmeSettings.Challenge;
import io.millrace.http.filter.Metrics;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Pebble;
import io.millrace.testing.Waiting;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Certificates of a real authority.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class PebbleTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @TempDir
    private Path folder;

    private final AcmeChallenges challenges = new AcmeChallenges();
    private EventLoops loops;
    private Server plain;
    private Server secure;
    private Pebble pebble;

    @BeforeEach
    void an_authority_and_a_server_are_there() throws IOException {
        loops = EventLoops.configure().threads(1).start();
        plain = Http.listen(free(), challenges.around(_ -> Response.status(404)));
        var tls = Tls.server(TlsIdentity.selfSigned("other.test")).speaking("http/1.1");
        secure = Http.listen(free().through(tls.proving(challenges)), _ -> Response.status(404));
        pebble = Pebble.start(folder, plain.port(), secure.port(), ", \"domainBlocklist\": [\"blocked.test\"]");
    }

    private Listen free() {
        return Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .loops(loops);
    }

    @AfterEach
    void they_end() {
        if (pebble != null) pebble.close();
        plain.close();
        secure.close();
        loops.close();
    }

    private AcmeSettings settings(String... names) {
        return AcmeSettings.of(folder.resolve("acme"), names)
                .directory(URI.create(pebble.directory()))
                .contact("ops@example.test")
                .authorities(TlsIdentity.certificates(pebble.authorities()));
    }

    private Keeper keeper(InstantSource clock) {
        return new Keeper(loops.next(), challenges, new AcmeAuthority(challenges), clock, () -> 0.5);
    }

    private static void until(BooleanSupplier isTrue) {
        while (!isTrue.getAsBoolean()) {
            if (Thread.currentThread().isInterrupted()) throw new AssertionError("interrupted while waiting");
            Waiting.briefly();
        }
    }

    private TlsIdentity issued(AcmeSettings settings) {
        try (var keeper = keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> settings.identity().isPresent() || text(keeper).contains("result=\"failed\"} 1"));
            return settings.identity().orElseThrow();
        }
    }

    /// The metrics.
    private static String text(Keeper keeper) {
        return Metrics.of(keeper).text();
    }

    @ParameterizedTest
    @EnumSource
    void a_certificate_for_two_names_is_issued(Challenge challenge) {
        var settings = settings("www.example.test", "api.example.test").challenge(challenge);
        var identity = issued(settings);
        assertEquals(
                List.of("api.example.test", "www.example.test"),
                identity.names().stream().sorted().toList());
        assertTrue(identity.chain().size() > 1, "with the intermediate one");
        assertTrue(challenges.apply("www.example.test").isEmpty(), "the proof is forgotten");
    }

    @Test
    void it_is_renewed_when_the_time_has_come() {
        var settings = settings("www.example.test");
        var first = issued(settings);
        var life = Duration.between(first.chain().getFirst().getNotBefore().toInstant(), first.expires());
        var late = Instant.now().plus(life.multipliedBy(9).dividedBy(10));
        try (var keeper = keeper(InstantSource.fixed(late))) {
            keeper.keep(List.of(settings));
            until(() -> !settings.identity().orElseThrow().equals(first));
            assertFalse(settings.identity().orElseThrow().expires().isBefore(first.expires()));
        }
    }

    @Test
    void after_a_restart_the_certificate_and_the_account_stay() throws IOException {
        var settings = settings("www.example.test");
        var first = issued(settings);
        try (var keeper = keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> text(keeper)
                    .contains("name=\"www.example.test\"} " + first.expires().getEpochSecond()));
            assertEquals(first, settings.identity().orElseThrow());
        }
        var more = settings("www.example.test", "api.example.test");
        try (var keeper = keeper(InstantSource.system())) {
            keeper.keep(List.of(more));
            until(() -> more.identity().orElseThrow().names().size() == 2);
        }
        var accounts = pebble.said()
                .lines()
                .filter(line -> line.contains("There are now") && line.contains("accounts in memory"))
                .toList();
        assertEquals(1, accounts.size(), accounts.toString());
    }

    @Test
    void an_authority_that_refuses_is_reported_and_left_in_peace() throws IOException {
        var settings = settings("blocked.test");
        try (var keeper = keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> text(keeper).contains("result=\"failed\"} 1"));
            assertTrue(settings.identity().isEmpty());
        }
    }

    @Test
    void a_name_that_leads_elsewhere_is_not_verified() throws IOException {
        plain.close();
        var settings = settings("www.example.test");
        try (var keeper = keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> text(keeper).contains("result=\"failed\"} 1"));
            assertTrue(settings.identity().isEmpty());
        }
    }
}
