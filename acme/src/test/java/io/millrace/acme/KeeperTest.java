package io.millrace.acme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.acme.Issuer.NotIssued;
import io.millrace.acme.Issuer.Progress;
import io.millrace.http.acme.AcmeChallenges;
import io.millrace.http.acme.AcmeSettings;
import io.millrace.sim.Simulation;
import io.millrace.tls.TlsIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// When certificates are obtained and renewed, in virtual time.
@Tag("simulation")
class KeeperTest {
    private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");
    private static final Duration LIFE = Duration.ofDays(90);

    @TempDir
    private Path folder;

    private Simulation network;
    private AcmeSettings settings;
    private final Scripted authority = new Scripted();
    private final List<Keeper> keepers = new ArrayList<>();

    @BeforeEach
    void time_begins() {
        network = new Simulation(7);
        settings = AcmeSettings.of(folder.resolve("acme"), "www.example.test");
    }

    @AfterEach
    void it_ends() {
        keepers.forEach(Keeper::close);
        network.close();
    }

    private Instant now() {
        return START.plus(network.now());
    }

    private Keeper keeper() {
        var made = new Keeper(network.loops().next(), new AcmeChallenges(), authority, this::now, () -> 0.5);
        keepers.add(made);
        return made;
    }

    private TlsIdentity identity() {
        return settings.identity().orElseThrow();
    }

    private Duration since(Instant then) {
        return Duration.between(then, now());
    }

    /// Issues what it is asked for, after a while, unless it is told to refuse.
    private final class Scripted implements Issuer {
        private final List<Instant> attempts = new ArrayList<>();
        private Optional<NotIssued> refusal = Optional.empty();
        private Optional<RenewalWindow> window = Optional.empty();
        private Duration life = LIFE;
        private Duration pause = Duration.ofSeconds(3);
        private int steps = 2;
        private int open;
        private Optional<TlsIdentity> replaced = Optional.empty();
        private Duration again = Renewal.LOOK;
        private int questions;

        @Override
        public Issuing issue(AcmeSettings wanted, Path account, Optional<TlsIdentity> replaced) {
            attempts.add(now());
            this.replaced = replaced;
            open++;
            return new Issuing() {
                private int left = steps;
                private boolean isOver;

                @Override
                public Progress advance() throws NotIssued {
                    if (refusal.isPresent()) throw refusal.get();
                    if (left-- > 0) return new Progress.Pending(pause);
                    var key = AcmeAuthority.newKey();
                    return new Progress.Issued(key, Chains.issue(key, wanted.names(), now(), now().plus(life)));
                }

                @Override
                public void close() {
                    if (!isOver) open--;
                    isOver = true;
                }
            };
        }

        @Override
        public Optional<RenewalWindow> renewal(AcmeSettings of, Path account, TlsIdentity current) {
            questions++;
            return window.map(its -> new RenewalWindow(its.start(), its.end(), Optional.of(now().plus(again))));
        }
    }

    @Test
    void a_missing_certificate_is_obtained_at_once() {
        keeper().keep(List.of(settings));
        network.advance(Duration.ofMinutes(1));
        assertEquals(List.of("www.example.test"), identity().names());
        assertEquals(1, authority.attempts.size());
        assertEquals(0, authority.open);
    }

    @Test
    void it_is_renewed_when_a_third_of_its_life_is_left() {
        keeper().keep(List.of(settings));
        network.advance(Duration.ofMinutes(1));
        var first = identity();
        network.advance(Duration.ofDays(59));
        assertEquals(first, identity());
        network.advance(Duration.ofDays(5));
        assertFalse(first.equals(identity()));
        assertEquals(2, authority.attempts.size());
        assertEquals(Optional.of(first), authority.replaced);
    }

    @Test
    void the_authority_says_how_often_it_is_asked_but_once_a_day_at_least() {
        var inAMonth = START.plus(Duration.ofDays(30));
        authority.window =
                Optional.of(new Issuer.RenewalWindow(inAMonth, inAMonth.plus(Duration.ofHours(2)), Optional.empty()));
        authority.again = Duration.ofHours(12);
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(5));
        assertEquals(10, authority.questions, 1);
        authority.again = Duration.ofDays(3650);
        network.advance(Duration.ofDays(5));
        assertEquals(15, authority.questions, 2);
    }

    @Test
    void it_is_renewed_when_the_authority_says_so() {
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(3));
        var first = identity();
        authority.window =
                Optional.of(new Issuer.RenewalWindow(now(), now().plus(Duration.ofHours(2)), Optional.empty()));
        network.advance(Duration.ofHours(9));
        assertFalse(first.equals(identity()));
        assertEquals(2, authority.attempts.size());
    }

    @Test
    void an_authority_that_wants_every_one_renewed_at_once_is_obeyed_once_a_day() {
        authority.window =
                Optional.of(new Issuer.RenewalWindow(START, START.plus(Duration.ofHours(2)), Optional.empty()));
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(5));
        assertEquals(5, authority.attempts.size());
    }

    @Test
    void after_a_restart_a_good_one_is_left_alone() {
        var first = keeper();
        first.keep(List.of(settings));
        network.advance(Duration.ofMinutes(1));
        first.close();
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(1));
        assertEquals(1, authority.attempts.size());
    }

    @Test
    void a_refusal_is_followed_by_longer_and_longer_pauses() {
        authority.refusal = Optional.of(new NotIssued("no"));
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(2));
        int count = authority.attempts.size();
        // 5, 10, 20, … minutes, and a tenth more each; half a day at most.
        assertTrue(count >= 9 && count <= 11, count + " attempts");
        for (int i = 2; i < count; i++) {
            var before = Duration.between(authority.attempts.get(i - 2), authority.attempts.get(i - 1));
            var after = Duration.between(authority.attempts.get(i - 1), authority.attempts.get(i));
            assertTrue(after.compareTo(before.minusSeconds(5)) >= 0, before + " and then " + after);
        }
        assertEquals(0, authority.open);
    }

    @Test
    void the_authority_says_when_to_come_back() {
        authority.refusal = Optional.of(new NotIssued("too often", Optional.of(START.plus(Duration.ofDays(3)))));
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(3).minusMinutes(1));
        assertEquals(1, authority.attempts.size());
        authority.refusal = Optional.empty();
        network.advance(Duration.ofMinutes(3));
        assertEquals(2, authority.attempts.size());
        assertTrue(settings.identity().isPresent());
    }

    @Test
    void it_can_have_the_keeper_wait_for_a_week_at_most() {
        authority.refusal = Optional.of(new NotIssued("busy", Optional.of(START.plus(Duration.ofDays(3650)))));
        keeper().keep(List.of(settings));
        network.advance(Kept.LONGEST_RETRY_AFTER.minusMinutes(1));
        assertEquals(1, authority.attempts.size());
        network.advance(Duration.ofMinutes(2));
        assertEquals(2, authority.attempts.size());
    }

    @Test
    void a_renewal_that_fails_leaves_the_old_one() {
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(1));
        var first = identity();
        authority.refusal = Optional.of(new NotIssued("not today"));
        network.advance(Duration.ofDays(70));
        assertTrue(authority.attempts.size() > 2);
        assertEquals(first, identity());
    }

    @Test
    void an_authority_that_is_never_ready_is_given_up_for_now() {
        authority.steps = Integer.MAX_VALUE;
        var begun = now();
        keeper().keep(List.of(settings));
        while (authority.attempts.size() < 2) network.advance(Duration.ofSeconds(30));
        assertTrue(since(begun).compareTo(Keeper.ATTEMPT) > 0);
        assertTrue(
                since(begun).compareTo(Keeper.ATTEMPT.multipliedBy(2)) < 0,
                since(begun).toString());
    }

    @Test
    void an_authority_that_says_come_back_at_once_is_asked_once_a_second() {
        authority.pause = Duration.ZERO;
        authority.steps = 30;
        keeper().keep(List.of(settings));
        network.advance(Duration.ofSeconds(20));
        assertTrue(settings.identity().isEmpty());
        network.advance(Duration.ofSeconds(20));
        assertTrue(settings.identity().isPresent());
    }

    @Test
    void a_certificate_that_comes_too_old_is_not_renewed_in_a_circle() {
        authority.life = Duration.ZERO;
        keeper().keep(List.of(settings));
        network.advance(Duration.ofDays(1));
        assertTrue(authority.attempts.size() < 10, authority.attempts.size() + " attempts");
    }

    @Test
    void a_name_that_is_added_gets_a_new_certificate_and_the_old_one_stays_until_then() {
        var keeper = keeper();
        keeper.keep(List.of(settings));
        network.advance(Duration.ofMinutes(1));
        var first = identity();
        var more = AcmeSettings.of(settings.storage(), "www.example.test", "api.example.test");
        assertEquals(Optional.of(first), more.identity());
        keeper.keep(List.of(more));
        network.advance(Duration.ofMinutes(1));
        assertEquals(
                List.of("www.example.test", "api.example.test"),
                more.identity().orElseThrow().names());
    }

    @Test
    void another_directory_issues_it_anew() {
        var keeper = keeper();
        keeper.keep(List.of(settings));
        network.advance(Duration.ofMinutes(1));
        keeper.keep(List.of(settings.directory(URI.create("https://other.test/directory"))));
        network.advance(Duration.ofMinutes(1));
        assertEquals(2, authority.attempts.size());
        assertEquals(Optional.empty(), authority.replaced, "it is of another authority");
    }

    @Test
    void a_reload_without_a_change_does_not_end_a_pause() {
        authority.refusal = Optional.of(new NotIssued("no"));
        var keeper = keeper();
        keeper.keep(List.of(settings));
        network.advance(Duration.ofMinutes(1));
        for (int i = 0; i < 10; i++) keeper.keep(List.of(settings));
        network.advance(Duration.ofMinutes(2));
        assertEquals(1, authority.attempts.size());
    }

    @Test
    void of_two_processes_one_renews_and_the_other_takes_over() {
        var old = keeper();
        old.keep(List.of(settings));
        network.advance(Duration.ofMinutes(1));
        var next = keeper();
        next.keep(List.of(settings));
        network.advance(Duration.ofMinutes(10));
        assertEquals(1, authority.attempts.size());
        old.close();
        network.advance(Duration.ofDays(65));
        assertEquals(2, authority.attempts.size());
    }

    @Test
    void several_are_obtained_one_after_the_other() {
        var other = AcmeSettings.of(settings.storage(), "api.example.test");
        keeper().keep(List.of(settings, other));
        network.advance(Duration.ofSeconds(4));
        assertEquals(1, authority.open);
        network.advance(Duration.ofMinutes(1));
        assertTrue(settings.identity().isPresent() && other.identity().isPresent());
    }

    @Test
    void two_that_would_share_a_file_are_refused() {
        var other = AcmeSettings.of(settings.storage(), "www.example.test", "api.example.test");
        var keeper = keeper();
        assertThrows(IllegalArgumentException.class, () -> keeper.keep(List.of(settings, other)));
    }

    @Test
    void after_its_end_nothing_happens() {
        var keeper = keeper();
        keeper.keep(List.of(settings));
        network.advance(Duration.ofSeconds(4));
        keeper.close();
        network.advance(Duration.ofDays(1));
        assertEquals(1, authority.attempts.size());
        assertEquals(0, authority.open);
        assertTrue(settings.identity().isEmpty());
    }
}
