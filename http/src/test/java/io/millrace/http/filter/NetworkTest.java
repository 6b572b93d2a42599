package io.millrace.http.filter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/9, 10.127.0.1, true",
        "10.0.0.0/9, 10.128.0.1, false",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, ::1, false",
        "::/0, 10.0.0.1, false",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fe00::1, false",
        "2001:db8::/65, 2001:db8::7fff:0:0:1, true",
        "2001:db8::/65, 2001:db8:0:0:8000::1, false",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
    })
    void an_address_is_in_a_network_when_its_first_bits_are(String network, String address, boolean isIn) {
        assertEquals(isIn, Network.of(network).contains(InetAddress.ofLiteral(address)));
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1/8", "10.0.0.0/33", "fd00::1/64", "::/129", "10.0.0", "name/8", "10.0.0.0/-1"})
    void what_is_no_network_is_refused(String text) {
        assertThrows(IllegalArgumentException.class, () -> Network.of(text));
    }

    @Test
    void it_agrees_with_arithmetic() throws UnknownHostException {
        var random = new Random(3);
        for (int i = 0; i < 5000; i++) {
            int bytes = random.nextBoolean() ? 4 : 16;
            int bits = random.nextInt(8 * bytes + 1);
            var base = new BigInteger(8 * bytes, random)
                    .shiftRight(8 * bytes - bits)
                    .shiftLeft(8 * bytes - bits);
            var other = base.flipBit(random.nextInt(8 * bytes));
            boolean isIn = base.shiftRight(8 * bytes - bits).equals(other.shiftRight(8 * bytes - bits));
            var network = new Network(address(base, bytes), bits);
            assertEquals(isIn, network.contains(address(other, bytes)), network + " " + other);
        }
    }

    private static InetAddress address(BigInteger number, int length) throws UnknownHostException {
        var bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = number.shiftRight(8 * (length - 1 - i)).byteValue();
        return InetAddress.getByAddress(bytes);
    }
}
