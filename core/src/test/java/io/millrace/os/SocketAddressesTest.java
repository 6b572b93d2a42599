package io.millrace.os;

import static io.millrace.os.Constants.AF_INET;
import static io.millrace.os.Constants.AF_INET6;
import static io.millrace.os.Constants.AF_UNIX;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SocketAddressesTest {
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,       80,    02000050 7f000001 0000000000000000",
        "0.0.0.0,         0,     02000000 00000000 0000000000000000",
        "255.254.253.252, 65535, 0200ffff fffefdfc 0000000000000000",
        "::1,             8080,  0a001f90 00000000 00000000000000000000000000000001 00000000",
        "::,              1,     0a000001 00000000 00000000000000000000000000000000 00000000",
        "2001:db8::5,     443,   0a0001bb 00000000 20010db8000000000000000000000005 00000000",
        "fe80::1%7,       9,     0a000009 00000000 fe800000000000000000000000000001 07000000",
    })
    void internet_addresses_in_their_own_family(String host, int port, String struct) throws IOException {
        var address = new InetSocketAddress(InetAddress.ofLiteral(host), port);
        byte[] encoded = SocketAddresses.encode(address, SocketAddresses.family(address));
        assertEquals(struct.replace(" ", ""), HexFormat.of().formatHex(encoded));
        var decoded = (InetSocketAddress) SocketAddresses.decode(encoded);
        assertEquals(address, decoded);
        assertEquals(scopeOf(address), scopeOf(decoded));
    }

    private static int scopeOf(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address v6 ? v6.getScopeId() : 0;
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 80, 0a000050 00000000 00000000000000000000ffff0a010203 00000000",
        "0.0.0.0,  80, 0a000050 00000000 00000000000000000000000000000000 00000000",
        "::1,      80, 0a000050 00000000 00000000000000000000000000000001 00000000",
    })
    void addresses_for_a_dual_stack_socket(String host, int port, String struct) throws IOException {
        byte[] encoded = SocketAddresses.encode(new InetSocketAddress(InetAddress.ofLiteral(host), port), AF_INET6);
        assertEquals(struct.replace(" ", ""), HexFormat.of().formatHex(encoded));
    }

    @Test
    void a_mapped_address_comes_back_as_ipv4() throws IOException {
        var address = new InetSocketAddress(InetAddress.ofLiteral("10.1.2.3"), 80);
        var decoded = (InetSocketAddress) SocketAddresses.decode(SocketAddresses.encode(address, AF_INET6));
        assertInstanceOf(Inet4Address.class, decoded.getAddress());
        assertEquals(address, decoded);
    }

    @Test
    void decoding_looks_no_name_up() {
        var decoded = (InetSocketAddress) SocketAddresses.decode(HexFormat.of().parseHex("02000050c0000201".repeat(2)));
        assertEquals("192.0.2.1", decoded.getHostString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/run/millrace.sock", "relative.sock", "/tmp/with space"})
    void paths_come_back(String path) throws IOException {
        SocketAddress address = UnixDomainSocketAddress.of(path);
        byte[] encoded = SocketAddresses.encode(address, AF_UNIX);
        assertEquals(AF_UNIX, SocketAddresses.family(address));
        assertEquals(0, encoded[encoded.length - 1]);
        assertEquals(address, SocketAddresses.decode(encoded));
    }

    @Test
    void a_path_of_107_bytes_fits_and_one_more_is_refused() throws IOException {
        String longest = "/" + "x".repeat(106);
        assertEquals(110, SocketAddresses.encode(UnixDomainSocketAddress.of(longest), AF_UNIX).length);
        var tooLong = UnixDomainSocketAddress.of(longest + "y");
        var refused = assertThrows(SocketException.class, () -> SocketAddresses.encode(tooLong, AF_UNIX));
        assertTrue(refused.toString().contains(longest + "y"), refused.toString());
        assertTrue(refused.toString().contains("108 bytes"), refused.toString());
    }

    @Test
    void paths_beyond_ascii_come_back_and_are_counted_in_bytes() throws IOException {
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "file names are not UTF-8 here");
        SocketAddress longest = UnixDomainSocketAddress.of("/" + "ö".repeat(53));
        assertEquals(longest, SocketAddresses.decode(SocketAddresses.encode(longest, AF_UNIX)));
        var address = UnixDomainSocketAddress.of("/" + "ö".repeat(54));
        assertThrows(SocketException.class, () -> SocketAddresses.encode(address, AF_UNIX));
    }

    @Test
    void an_empty_path_is_refused() {
        var empty = UnixDomainSocketAddress.of("");
        assertThrows(SocketException.class, () -> SocketAddresses.encode(empty, AF_UNIX));
    }

    @ParameterizedTest
    @CsvSource({
        "0100, ''",
        "010000, @",
        "01000061626364, @abcd",
        "010000610062, @a@b",
        "01002f6100, /a",
        "01002f61000000, /a",
        "01002f61, /a",
        "0100ff61, \\xffa",
    })
    void unix_addresses_as_the_kernel_gives_them(String struct, String path) {
        assertEquals(
                UnixDomainSocketAddress.of(path),
                SocketAddresses.decode(HexFormat.of().parseHex(struct)));
    }

    @Test
    void every_byte_makes_some_unix_address() {
        for (int value = 0; value < 256; value++) {
            byte[] struct = {AF_UNIX, 0, 'a', (byte) value, 'b'};
            assertInstanceOf(UnixDomainSocketAddress.class, SocketAddresses.decode(struct));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "02", "0200005000", "0a00005000000000", "0300"})
    void what_is_no_address_is_refused(String struct) {
        byte[] bytes = HexFormat.of().parseHex(struct);
        assertThrows(IllegalArgumentException.class, () -> SocketAddresses.decode(bytes));
    }

    @Test
    void an_unresolved_host_is_named() {
        var unresolved = InetSocketAddress.createUnresolved("backend.example", 80);
        var refused = assertThrows(UnknownHostException.class, () -> SocketAddresses.family(unresolved));
        assertTrue(refused.toString().contains("'backend.example'"), refused.toString());
        assertThrows(UnknownHostException.class, () -> SocketAddresses.encode(unresolved, AF_INET));
        assertThrows(UnknownHostException.class, () -> SocketAddresses.encode(unresolved, AF_INET6));
    }

    @Test
    void an_address_of_another_family_is_named() {
        var v6 = new InetSocketAddress(InetAddress.ofLiteral("::1"), 80);
        var refused = assertThrows(SocketException.class, () -> SocketAddresses.encode(v6, AF_INET));
        assertTrue(refused.toString().contains(v6.toString()), refused.toString());
        assertThrows(SocketException.class, () -> SocketAddresses.encode(UnixDomainSocketAddress.of("/a"), AF_INET));
    }

    @Test
    void an_address_of_no_known_kind_is_refused() {
        var strange = new SocketAddress() {
            private static final long serialVersionUID = 1;

            @Override
            public String toString() {
                return "carrier pigeon";
            }
        };
        var refused = assertThrows(SocketException.class, () -> SocketAddresses.family(strange));
        assertTrue(refused.toString().contains("carrier pigeon"), refused.toString());
        assertThrows(SocketException.class, () -> SocketAddresses.encode(strange, AF_INET));
    }

    @Test
    void the_place_in_native_memory_holds_what_it_was_given() throws IOException {
        var place = new SockAddr();
        for (String host : new String[] {"::1", "127.0.0.1"}) {
            var address = new InetSocketAddress(InetAddress.ofLiteral(host), 80);
            place.set(address);
            assertEquals(address, place.get());
            // Without the padding of IPv4.
            byte[] struct = SocketAddresses.encode(address, SocketAddresses.family(address));
            assertArrayEquals(Arrays.copyOf(struct, host.contains(":") ? struct.length : 8), place.copy());
        }
    }
}
