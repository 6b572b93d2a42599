package io.millrace.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.proxy.upstream.DnsMessage.DnsRecord;
import java.io.IOException;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Answers that were written by hand, and by luck.
class DnsMessageTest {
    /// Of `a.b` with an alias `c.b` behind a pointer, and two addresses of that.
    private static final String FINE = "1234 8180 0001 0003 0000 0000"
            + "01 61 01 62 00 0001 0001"
            + "c00c 0005 0001 00000064 0004 01 63 c00e"
            + "c021 0001 0001 00000032 0004 0a000001"
            + "c021 0001 0001 0000003c 0004 0a000002";

    @Test
    void an_alias_and_its_addresses_are_good_as_long_as_the_least_of_them() throws IOException {
        var answer = read(FINE);
        assertEquals(
                List.of(
                        new DnsRecord.Address(InetAddress.ofLiteral("10.0.0.1")),
                        new DnsRecord.Address(InetAddress.ofLiteral("10.0.0.2"))),
                answer.records());
        assertEquals(50, answer.seconds());
    }

    @Test
    void records_of_other_names_are_left_out() throws IOException {
        var answer = read("1234 8180 0001 0002 0000 0000 01 61 01 62 00 0001 0001"
                + "01 78 00 0001 0001 00000032 0004 0a000001"
                + "c00c 0001 0001 00000032 0004 0a000002");
        assertEquals(List.of(new DnsRecord.Address(InetAddress.ofLiteral("10.0.0.2"))), answer.records());
    }

    @Test
    void a_name_that_leads_to_itself_or_forward_is_refused() {
        refused("1234 8180 0001 0001 0000 0000 01 61 01 62 00 0001 0001 c015 0001 0001 00000032 0004 0a000001");
        refused("1234 8180 0001 0001 0000 0000 01 61 01 62 00 0001 0001 c017 0001 0001 00000032 0004 0a000001");
    }

    @Test
    void aliases_in_a_circle_are_refused() {
        refused("1234 8180 0001 0001 0000 0000 01 61 01 62 00 0001 0001 c00c 0005 0001 00000064 0002 c00c");
    }

    @Test
    void an_answer_to_another_question_is_refused() {
        refused(FINE.replace("01 61 01 62 00", "01 61 01 63 00"));
        refused(FINE.replace("00 0001 0001c00c", "00 001c 0001c00c"));
        refused(FINE.replace("8180", "0180"));
    }

    @Test
    void an_address_of_the_wrong_length_is_refused() {
        refused("1234 8180 0001 0001 0000 0000 01 61 01 62 00 0001 0001 c00c 0001 0001 00000032 0005 0a00000100");
    }

    @Test
    void what_breaks_off_anywhere_is_refused() {
        var whole = bytes(FINE);
        for (int length = 0; length < whole.length; length++) {
            var part = Arrays.copyOf(whole, length);
            assertThrows(IOException.class, () -> DnsMessage.answer(part, "a.b", DnsRecord.Type.A));
        }
    }

    @Test
    void whatever_comes_is_an_answer_or_refused() {
        var fine = bytes(FINE);
        Upstreams.forEachSeed(20_000, random -> {
            var message = fine.clone();
            for (int i = random.nextInt(1, 6); i > 0; i--) {
                message[random.nextInt(message.length)] = (byte) random.nextInt();
            }
            var type = List.of(DnsRecord.Type.values()).get(random.nextInt(3));
            try {
                var answer = DnsMessage.answer(message, "a.b", type);
                assertTrue(answer.records().size() <= 3 && answer.seconds() >= 0);
            } catch (IOException e) {
                assertTrue(e.getMessage() != null);
            }
        });
    }

    @Test
    void a_question_asks_for_one_name_and_wants_it_to_be_looked_up() {
        var question = HexFormat.of().formatHex(DnsMessage.question(0x1234, "a.bc", DnsRecord.Type.SRV));
        assertEquals("1234" + "0100" + "0001000000000000" + "0161" + "026263" + "00" + "0021" + "0001", question);
    }

    private static DnsMessage.Answer read(String hex) throws IOException {
        return DnsMessage.answer(bytes(hex), "a.b", DnsRecord.Type.A);
    }

    private static void refused(String hex) {
        assertThrows(IOException.class, () -> read(hex), hex);
    }

    private static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replace(" ", ""));
    }
}
