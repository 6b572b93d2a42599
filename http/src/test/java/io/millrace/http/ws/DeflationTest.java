package io.millrace.http.ws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.http.grammar.Refusal;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What both ends agree on (RFC 7692 section 7.1).
class DeflationTest {
    private static final String BOTH_FORGET =
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover";

    private static String answered(boolean mayKeep, String... lines) throws Refusal {
        return Deflation.accept(List.of(lines), mayKeep).map(Deflation::text).orElse("declined");
    }

    // A server.

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permessage-deflate",
                "permessage-deflate; client_max_window_bits",
                "permessage-deflate; client_max_window_bits=8",
                "permessage-deflate;client_max_window_bits=\"15\"",
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover",
                "PerMessage-Deflate ;\tServer_No_Context_Takeover",
                ", x-other; a=b; c=\"d\" ,, permessage-deflate ,",
                "permessage-deflate; server_max_window_bits=10, permessage-deflate",
                "permessage-deflate; unknown, permessage-deflate; client_max_window_bits=9",
            })
    void no_window_is_kept_by_default(String offer) throws Refusal {
        assertEquals(BOTH_FORGET, answered(false, offer));
    }

    @Test
    void a_window_of_15_bits_that_was_asked_for_is_answered() throws Refusal {
        assertEquals(
                BOTH_FORGET + "; server_max_window_bits=15",
                answered(false, "permessage-deflate; server_max_window_bits=15"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x-webkit-deflate-frame",
                "permessage-bzip2; a",
                "permessage-deflate; server_max_window_bits=8",
                "permessage-deflate; server_max_window_bits=14",
                "permessage-deflate; server_max_window_bits=7",
                "permessage-deflate; server_max_window_bits=16",
                "permessage-deflate; server_max_window_bits=015",
                "permessage-deflate; server_max_window_bits",
                "permessage-deflate; client_max_window_bits=7",
                "permessage-deflate; client_max_window_bits=abc",
                "permessage-deflate; server_no_context_takeover=1",
                "permessage-deflate; client_no_context_takeover=true",
                "permessage-deflate; client_max_window_bits; client_max_window_bits=10",
                "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
                "permessage-deflate; memory=1",
            })
    void an_offer_that_is_not_right_or_asks_for_too_small_a_window_is_declined(String offer) throws Refusal {
        assertEquals("declined", answered(false, offer));
        assertEquals("declined", answered(true, offer));
    }

    @Test
    void offers_may_be_in_several_lines_and_the_first_that_can_be_accepted_is() throws Refusal {
        assertEquals(BOTH_FORGET, answered(false, "x", "permessage-deflate"));
        assertEquals(
                "permessage-deflate; server_no_context_takeover",
                answered(true, "permessage-deflate; server_no_context_takeover", "permessage-deflate"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permessage-deflate;",
                "permessage-deflate; ;",
                "permessage-deflate; =1",
                "permessage-deflate; a=",
                "permessage-deflate; a=\"",
                "permessage-deflate; a=\"\"",
                "permessage-deflate; a=\"b",
                "permessage-deflate; a=\"b c\"",
                "permessage-deflate x",
                "permessage/deflate",
                "\u00fcber",
            })
    void a_malformed_line_fails_the_handshake(String line) {
        assertEquals(
                400, assertThrows(Refusal.class, () -> answered(false, line)).status());
    }

    @ParameterizedTest
    @CsvSource({
        "permessage-deflate, permessage-deflate, true, true",
        "permessage-deflate; client_max_window_bits, permessage-deflate, true, true",
        "permessage-deflate; client_no_context_takeover, permessage-deflate; client_no_context_takeover, false, true",
        "permessage-deflate; server_no_context_takeover, permessage-deflate; server_no_context_takeover, true, false",
    })
    void windows_are_kept_by_choice_unless_the_client_does_not_want_them(
            String offer, String answer, boolean peerKeeps, boolean weKeep) throws Refusal {
        assertEquals(Optional.of(new Deflation(peerKeeps, weKeep, answer)), Deflation.accept(List.of(offer), true));
    }

    // A client.

    @Test
    void a_client_offers_that_neither_keeps_a_window() throws Refusal {
        var offer = Deflation.offer(false);
        assertEquals(BOTH_FORGET, offer.text());
        assertEquals(Optional.of(offer), offer.accepted(List.of(BOTH_FORGET)));
        assertEquals(Optional.of(offer), offer.accepted(List.of("permessage-deflate; server_no_context_takeover")));
        assertEquals(
                Optional.of(offer),
                offer.accepted(List.of("permessage-deflate; server_no_context_takeover; server_max_window_bits=9")));
        assertEquals(Optional.empty(), offer.accepted(List.of()));
    }

    @Test
    void a_client_may_offer_windows_and_the_server_says_which_are_kept() throws Refusal {
        var offer = Deflation.offer(true);
        assertEquals("permessage-deflate", offer.text());
        assertEquals(Optional.of(offer), offer.accepted(List.of("permessage-deflate")));
        assertEquals(
                Optional.of(new Deflation(true, false, offer.text())),
                offer.accepted(List.of("permessage-deflate; client_no_context_takeover")));
        assertEquals(Optional.of(new Deflation(false, false, offer.text())), offer.accepted(List.of(BOTH_FORGET)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "permessage-deflate",
                "permessage-deflate; client_no_context_takeover",
                BOTH_FORGET + "; client_max_window_bits=10",
                BOTH_FORGET + "; server_max_window_bits=16",
                BOTH_FORGET + "; other",
                BOTH_FORGET + "; server_no_context_takeover",
                BOTH_FORGET + ", " + BOTH_FORGET,
                "x-other",
                BOTH_FORGET + "; a=",
            })
    void a_server_that_accepts_what_was_not_offered_fails_the_handshake(String answer) {
        assertThrows(Refusal.class, () -> Deflation.offer(false).accepted(List.of(answer)));
    }
}
