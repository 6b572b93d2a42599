package io.millrace.acme;

import static io.millrace.acme.Proving.metrics;
import static io.millrace.acme.Proving.nextLook;
import static io.millrace.acme.Proving.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.acme.AcmeSettings.Challenge;
import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
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

    private Proving here;

    @BeforeEach
    void an_authority_and_a_server_are_there() throws IOException {
        here = new Proving(folder);
    }

    @AfterEach
    void they_end() {
        here.close();
    }

    @ParameterizedTest
    @EnumSource
    void a_certificate_for_two_names_is_issued(Challenge challenge) {
        var settings = here.settings("www.example.test", "api.example.test").challenge(challenge);
        var identity = here.issued(settings);
        assertEquals(
                List.of("api.example.test", "www.example.test"),
                identity.names().stream().sorted().toList());
        assertTrue(identity.chain().size() > 1, "with the intermediate one");
        assertTrue(here.challenges.apply("www.example.test").isEmpty(), "the proof is forgotten");
    }

    @Test
    void it_is_renewed_when_the_time_has_come() throws IOException {
        var settings = here.settings("www.example.test");
        var first = here.issued(settings);
        var life = Duration.between(first.chain().getFirst().getNotBefore().toInstant(), first.expires());
        var late = Instant.now().plus(life.multipliedBy(9).dividedBy(10));
        var second = here.renewed(settings, InstantSource.fixed(late));
        assertFalse(second.expires().isBefore(first.expires()));
        assertTrue(here.pebble.said().contains("is a replacement of"), "the order names what it replaces");
    }

    @Test
    void it_is_renewed_when_the_authority_says_so() throws IOException, GeneralSecurityException {
        var settings = here.settings("www.example.test");
        var first = here.issued(settings);
        var begin = first.chain().getFirst().getNotBefore().toInstant();
        var start = begin.plus(Duration.ofDays(3));
        here.pebble.renewal(first.chain().getFirst(), start, start.plusSeconds(60));
        var early = begin.plus(Duration.ofDays(2));
        try (var keeper = here.keeper(InstantSource.fixed(early))) {
            keeper.keep(List.of(settings));
            until(() -> nextLook(keeper).isAfter(early));
        }
        assertEquals(first, settings.identity().orElseThrow(), "before the window");
        assertFalse(first.equals(here.renewed(settings, InstantSource.fixed(start.plusSeconds(61)))));
    }

    /// As if the process had been killed before it kept the new one.
    @Test
    void what_was_replaced_already_is_issued_again() throws IOException {
        var settings = here.settings("www.example.test");
        var first = here.issued(settings);
        var old = Files.readString(settings.file());
        var late = InstantSource.fixed(first.expires().minus(Duration.ofDays(1)));
        var second = here.renewed(settings, late);
        Storage.replace(settings.file(), old);
        assertFalse(second.equals(here.renewed(settings, late)));
        assertTrue(here.pebble.said().contains("has been marked as replaced"));
    }

    @Test
    void after_a_restart_the_certificate_and_the_account_stay() throws IOException {
        var settings = here.settings("www.example.test");
        var first = here.issued(settings);
        try (var keeper = here.keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> metrics(keeper)
                    .contains("name=\"www.example.test\"} " + first.expires().getEpochSecond()));
            assertEquals(first, settings.identity().orElseThrow());
        }
        var more = here.settings("www.example.test", "api.example.test");
        try (var keeper = here.keeper(InstantSource.system())) {
            keeper.keep(List.of(more));
            until(() -> more.identity().orElseThrow().names().size() == 2);
        }
        var accounts = here.pebble
                .said()
                .lines()
                .filter(line -> line.contains("There are now") && line.contains("accounts in memory"))
                .toList();
        assertEquals(1, accounts.size(), accounts.toString());
    }

    @Test
    void an_authority_that_refuses_is_reported_and_left_in_peace() throws IOException {
        var settings = here.settings("blocked.test");
        try (var keeper = here.keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> metrics(keeper).contains("result=\"failed\"} 1"));
            assertTrue(settings.identity().isEmpty());
        }
    }

    @Test
    void a_name_that_leads_elsewhere_is_not_verified() throws IOException {
        here.plain.close();
        var settings = here.settings("www.example.test");
        try (var keeper = here.keeper(InstantSource.system())) {
            keeper.keep(List.of(settings));
            until(() -> metrics(keeper).contains("result=\"failed\"} 1"));
            assertTrue(settings.identity().isEmpty());
        }
    }
}
