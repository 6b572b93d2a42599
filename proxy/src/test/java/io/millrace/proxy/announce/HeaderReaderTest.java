package io.millrace.proxy.announce;

import static io.millrace.proxy.announce.Reading.INCOMPLETE;
import static io.millrace.proxy.announce.Reading.REFUSED;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Headers of the PROXY protocol, right and wrong ones, each in every cut.
class HeaderReaderTest {
    private static final String NOBODY = "nobody to nobody";
    private static final String SOMEBODY = "/192.0.2.1:1000 to /198.51.100.2:443";

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void assertLine(String outcome, String line) {
        var bytes = bytes(line);
        assertEquals(new Reading.Verdict(outcome, bytes.length), Reading.everyWay(bytes));
    }

    private static void assertHeader(String outcome, byte[] header) {
        assertEquals(new Reading.Verdict(outcome, header.length), Reading.everyWay(header));
    }

    private static void assertRefused(byte[] header) {
        assertEquals(new Reading.Verdict(REFUSED, 0), Reading.everyWay(header));
    }

    // Version 1.

    @Test
    void a_line_announces_addresses_of_ipv4() {
        assertLine(SOMEBODY, "PROXY TCP4 192.0.2.1 198.51.100.2 1000 443\r\n");
        assertLine("/255.255.255.255:65535 to /0.0.0.0:0", "PROXY TCP4 255.255.255.255 0.0.0.0 65535 0\r\n");
    }

    @Test
    void a_line_announces_addresses_of_ipv6() {
        assertLine("/[2001:db8:0:0:0:0:0:1]:1000 to /[0:0:0:0:0:0:0:1]:443", "PROXY TCP6 2001:db8::1 ::1 1000 443\r\n");
    }

    @Test
    void a_line_says_that_it_does_not_know() {
        assertLine(NOBODY, "PROXY UNKNOWN\r\n");
        assertLine(NOBODY, "PROXY UNKNOWN ffff::1 whatever 70000 \0 \t\r\n");
    }

    @Test
    void what_follows_a_line_is_left() {
        var line = "PROXY TCP4 192.0.2.1 198.51.100.2 1000 443\r\n";
        var verdict = Reading.everyWay(bytes(line + "PROXY UNKNOWN\r\nGET / HTTP/1.1\r\n"));
        assertEquals(new Reading.Verdict(SOMEBODY, line.length()), verdict);
    }

    @Test
    void a_line_has_107_bytes_at_most() {
        var longest = "PROXY UNKNOWN " + "x".repeat(107 - 16) + "\r\n";
        assertEquals(107, longest.length());
        assertLine(NOBODY, longest);
        assertRefused(bytes("PROXY UNKNOWN x" + "x".repeat(107 - 16) + "\r\n"));
        assertRefused(bytes("PROXY UNKNOWN " + "x".repeat(200)));
        // It is enough to know that it cannot end in time.
        assertRefused(bytes("PROXY UNKNOWN " + "x".repeat(106 - 14)));
        assertEquals(
                INCOMPLETE,
                Reading.everyWay(bytes("PROXY UNKNOWN " + "x".repeat(105 - 14))).outcome());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\n",
                " PROXY UNKNOWN\r\n",
                "proxy UNKNOWN\r\n",
                "PROXY\tUNKNOWN\r\n",
                "PROXY \r\n",
                "PROXY UNKNOWNS\r\n",
                "PROXY unknown\r\n",
                "PROXY UNKNOWN\n",
                "PROXY UNKNOWN x\ny\r\n",
                "PROXY UNKNOWN\r\r\n",
                "PROXY TCP4\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 1000\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 1000 443 \r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 1000 443 5\r\n",
                "PROXY TCP4  192.0.2.1 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 1000 65536\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 -1 443\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 +1 443\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 01000 443\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2 99999999999 443\r\n",
                "PROXY TCP4 192.0.2.1 198.51.100.2  443\r\n",
                "PROXY TCP4 192.0.2.01 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 192.0.2.256 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 192.0.2 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 192.0.2.1. 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 3221225985 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 ::1 ::1 1000 443\r\n",
                "PROXY TCP4 localhost localhost 1000 443\r\n",
                "PROXY TCP6 192.0.2.1 198.51.100.2 1000 443\r\n",
                "PROXY TCP6 [::1] [::1] 1000 443\r\n",
                "PROXY TCP6 fe80::1%lo ::1 1000 443\r\n",
                "PROXY TCP6 ::1::1 ::1 1000 443\r\n",
                "PROXY TCP6 : ::1 1000 443\r\n",
                "PROXY TCP5 ::1 ::1 1000 443\r\n",
                "PROXY UDP4 192.0.2.1 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 192.0.2.1\0 198.51.100.2 1000 443\r\n",
                "PROXY TCP4 \u0661.1.1.1 198.51.100.2 1000 443\r\n",
            })
    void a_line_that_is_none_is_refused(String line) {
        assertRefused(bytes(line));
    }

    // Version 2.

    @Test
    void bytes_announce_addresses_of_ipv4() {
        assertHeader(SOMEBODY, Binary.ipv4().toBytes());
        // Of a connection that was UDP: the client is the same.
        assertHeader(SOMEBODY, Binary.ipv4().family(0x12).toBytes());
    }

    @Test
    void bytes_announce_addresses_of_ipv6() {
        var addresses = "20010db8000000000000000000000001" + "00000000000000000000000000000001" + "03e801bb";
        assertHeader(
                "/[2001:db8:0:0:0:0:0:1]:1000 to /[0:0:0:0:0:0:0:1]:443",
                Binary.header().family(0x21).hex(addresses).toBytes());
    }

    @Test
    void what_follows_a_header_is_left() {
        var header = Binary.ipv4().toBytes();
        var more = Arrays.copyOf(header, header.length + 40);
        assertEquals(new Reading.Verdict(SOMEBODY, header.length), Reading.everyWay(more));
    }

    @Test
    void the_senders_own_connection_is_left_as_it_is() {
        assertHeader(NOBODY, Binary.header().command(0x20).family(0).toBytes());
        // Whatever it says besides means nothing.
        assertHeader(NOBODY, Binary.ipv4().command(0x20).toBytes());
        assertHeader(
                NOBODY, Binary.header().command(0x20).family(0xff).hex("ffff").toBytes());
    }

    @Test
    void an_unspecified_family_leaves_the_connection_as_it_is() {
        assertHeader(NOBODY, Binary.header().family(0).toBytes());
        assertHeader(NOBODY, Binary.header().family(0x01).hex("0102030405").toBytes());
    }

    /// CVE-2026-55851: as a signed byte it was minus one, and the decoder waited for ever.
    @ParameterizedTest
    @ValueSource(ints = {0xff, 0x00, 0x01, 0x11, 0x22, 0x2f, 0x31, 0x80, 0xa1, 0xf1})
    void another_version_or_command_is_refused_at_once(int versionAndCommand) {
        var begun = Arrays.copyOf(Binary.ipv4().command(versionAndCommand).toBytes(), 13);
        assertRefused(begun);
    }

    @ParameterizedTest
    @ValueSource(ints = {0x13, 0x1f, 0x41, 0xff, 0x81})
    void another_family_or_transport_is_refused_at_once(int familyAndTransport) {
        assertRefused(Arrays.copyOf(Binary.ipv4().family(familyAndTransport).toBytes(), 14));
    }

    @Test
    void another_magic_is_refused_with_the_byte_that_differs() {
        var header = Binary.ipv4().toBytes();
        for (int i = 0; i < 12; i++) {
            var wrong = Arrays.copyOf(header, i + 1);
            wrong[i] ^= 1;
            assertRefused(wrong);
        }
    }

    @Test
    void a_header_too_short_for_its_addresses_is_refused() {
        assertRefused(Binary.ipv4().length(11).toBytes());
        assertRefused(Binary.ipv4().family(0x21).toBytes());
        assertRefused(Binary.ipv4().family(0x31).toBytes());
        assertRefused(Binary.ipv4().length(0).toBytes());
    }

    /// Before any of it is waited for.
    @Test
    void a_header_that_is_too_long_is_refused_with_its_length() {
        assertRefused(Arrays.copyOf(Binary.ipv4().length(0xffff).toBytes(), 16));
        assertRefused(
                Arrays.copyOf(Binary.ipv4().length(Reading.MOST_BYTES - 15).toBytes(), 16));
        assertRefused(Arrays.copyOf(Binary.header().command(0x20).length(0x8000).toBytes(), 16));
        var longest = new byte[Reading.MOST_BYTES - 16 - 12 - 3];
        assertHeader(SOMEBODY, Binary.ipv4().tlv(0x04, longest).toBytes());
    }

    @Test
    void a_header_that_is_not_all_there_is_waited_for() {
        var header = Binary.ipv4().tlv(0x04, new byte[9]).toBytes();
        for (int length = 1; length < header.length; length++) {
            var begun = Arrays.copyOf(header, length);
            assertEquals(new Reading.Verdict(INCOMPLETE, 0), Reading.everyWay(begun));
        }
    }

    @Test
    void paths_of_unix_sockets_are_announced() {
        assertHeader(
                "/run/client to /run/server",
                Binary.unix("/run/client", "/run/server").toBytes());
        assertHeader(
                "x".repeat(108) + " to nobody", Binary.unix("x".repeat(108), "").toBytes());
    }

    /// CVE-2026-59919: such a path was written into a line of version 1.
    @ParameterizedTest
    @ValueSource(strings = {"/a\r\nPROXY TCP4", "/a\n", "\0abstract", "/\u001b[31m", "/caf\u00e9", "/\u007f"})
    void paths_that_are_more_than_printable_are_nobody(String path) {
        assertHeader("nobody to /b", Binary.unix(path, "/b").toBytes());
    }

    /// The writer's half of it: version 1 has no place for a path.
    @Test
    void a_line_never_has_a_path() {
        var path = UnixDomainSocketAddress.of("/a\r\nPROXY TCP4 1.1.1.1 2.2.2.2 1 2");
        var address = new InetSocketAddress("192.0.2.1", 5);
        for (var line : new byte[][] {
            HeaderWriter.text(path, address).toArray(),
            HeaderWriter.text(address, path).toArray(),
            HeaderWriter.text(path, path).toArray(),
            HeaderWriter.text(InetSocketAddress.createUnresolved("a\r\nb", 1), address)
                    .toArray()
        }) {
            assertEquals("PROXY UNKNOWN\r\n", new String(line, StandardCharsets.ISO_8859_1));
        }
    }

    // What stands behind the addresses.

    @Test
    void values_are_passed_over() {
        var header = Binary.ipv4()
                .tlv(0x01, bytes("h2"))
                .tlv(0x02, bytes("a.test\r\n"))
                .tlv(0x04)
                .tlv(0x05, new byte[128])
                .tlv(0x30, bytes("ns"))
                .tlv(0xea, new byte[20])
                .toBytes();
        assertHeader(SOMEBODY, header);
    }

    /// CVE-2026-48059, -44893, 2022-41881: a decoder that called itself for each of them.
    @Test
    void values_of_tls_in_each_other_are_not_looked_into() {
        byte[] nested = {};
        for (int depth = 0; depth < 50; depth++) {
            var outer = Binary.header().hex("0100000000").tlv(0x20, nested).toBytes();
            nested = Arrays.copyOfRange(outer, 16, outer.length);
        }
        assertHeader(SOMEBODY, Binary.ipv4().tlv(0x20, nested).toBytes());
        for (int length = 0; length < 5; length++) {
            assertHeader(SOMEBODY, Binary.ipv4().tlv(0x20, new byte[length]).toBytes());
        }
        // One that says it is longer than what it is in.
        assertHeader(
                SOMEBODY,
                Binary.ipv4()
                        .tlv(0x20, HexFormat.of().parseHex("010000000021ffff"))
                        .toBytes());
    }

    @Test
    void values_that_do_not_fill_the_header_are_refused() {
        assertRefused(Binary.ipv4().hex("04").toBytes());
        assertRefused(Binary.ipv4().hex("0400").toBytes());
        assertRefused(Binary.ipv4().hex("040001").toBytes());
        assertRefused(Binary.ipv4().hex("04ffff").toBytes());
        assertRefused(Binary.ipv4().hex("20000401000000" + "03").toBytes());
        assertRefused(Binary.unix("/a", "/b").hex("0400").toBytes());
    }

    @Test
    void a_checksum_is_checked() {
        assertHeader(SOMEBODY, Binary.ipv4().withChecksum());
        assertHeader(SOMEBODY, Binary.ipv4().tlv(0x01, bytes("h2")).withChecksum());
        var header = Binary.ipv4().tlv(0x02, bytes("a.test")).withChecksum();
        // The addresses, the values and the checksum itself; the rest is another header, or none.
        for (int i = 16; i < header.length; i++) {
            boolean isKindOrLength = (i >= 28 && i < 31) || (i >= 37 && i < 40);
            if (isKindOrLength) continue;
            var wrong = header.clone();
            wrong[i] ^= 4;
            assertRefused(wrong);
        }
    }

    /// From a specification of CRC-32C: `123456789` is e3069283.
    @Test
    void the_checksum_is_that_of_castagnoli() {
        assertEquals(0xe3069283, BinaryHeader.crc(bytes("123456789")));
    }

    @Test
    void a_checksum_of_another_length_or_a_second_one_is_refused() {
        assertRefused(Binary.ipv4().tlv(0x03, new byte[3]).toBytes());
        assertRefused(Binary.ipv4().tlv(0x03, new byte[5]).toBytes());
        assertRefused(Binary.ipv4().tlv(0x03).toBytes());
        assertRefused(Binary.ipv4().tlv(0x03, new byte[4]).withChecksum());
    }
}
