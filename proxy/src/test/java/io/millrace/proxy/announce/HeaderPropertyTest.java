package io.millrace.proxy.announce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Bytes;
import io.millrace.proxy.ProxyProtocol.Version;
import java.io.ByteArrayOutputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// What is written is read again, in every cut, and nothing behind it.
class HeaderPropertyTest {
    private static final int ROUNDS = 150;

    private final Random random = new Random(31);

    private static Bytes header(Version version, SocketAddress source, SocketAddress destination) {
        return switch (version) {
            case V1 -> HeaderWriter.text(source, destination);
            case V2 -> HeaderWriter.binary(source, destination);
        };
    }

    private static Bytes own(Version version) {
        return switch (version) {
            case V1 -> HeaderWriter.ownText();
            case V2 -> HeaderWriter.ownBinary();
        };
    }

    @ParameterizedTest
    @EnumSource
    void pairs_of_ip_addresses(Version version) {
        for (int i = 0; i < ROUNDS; i++) {
            var source = address();
            var destination = address();
            assertRead(
                    source + " to " + destination,
                    header(version, source, destination).toArray());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_zone_stays_at_home(Version version) throws Exception {
        var zoned = new InetSocketAddress(
                Inet6Address.getByAddress("", InetAddress.ofLiteral("fe80::7").getAddress(), 3), 9);
        var plain = new InetSocketAddress(InetAddress.ofLiteral("fe80::7"), 9);
        assertRead(plain + " to " + plain, header(version, zoned, zoned).toArray());
    }

    @ParameterizedTest
    @EnumSource
    void a_connection_of_ones_own(Version version) {
        assertRead("nobody to nobody", own(version).toArray());
    }

    @ParameterizedTest
    @EnumSource
    void what_cannot_be_said_is_unknown(Version version) {
        SocketAddress path = UnixDomainSocketAddress.of("/run/a");
        var name = InetSocketAddress.createUnresolved("name.test", 80);
        var tooLong = UnixDomainSocketAddress.of("/" + "x".repeat(108));
        for (var one : new SocketAddress[] {path, name, tooLong}) {
            assertRead("nobody to nobody", header(version, one, address()).toArray());
            assertRead("nobody to nobody", header(version, address(), one).toArray());
        }
        assertRead("nobody to nobody", header(version, tooLong, path).toArray());
    }

    @ParameterizedTest
    @EnumSource(names = "V2")
    void pairs_of_paths(Version version) {
        for (int length = 1; length <= 107; length += 7) {
            var source = UnixDomainSocketAddress.of("/" + "s".repeat(length));
            var destination = UnixDomainSocketAddress.of("/" + "d".repeat(108 - length));
            assertRead(
                    source + " to " + destination,
                    header(version, source, destination).toArray());
        }
    }

    private SocketAddress address() {
        var bytes = new byte[random.nextInt(2) == 0 ? 4 : 16];
        // Zeros shorten addresses of IPv6.
        int some = random.nextInt(bytes.length + 1);
        for (int i = 0; i < some; i++) bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        return new InetSocketAddress(Ip.of(bytes), random.nextInt(0x10000));
    }

    private void assertRead(String outcome, byte[] header) {
        var behind = new byte[random.nextInt(40)];
        random.nextBytes(behind);
        var all = new ByteArrayOutputStream();
        all.writeBytes(header);
        all.writeBytes(behind);
        assertEquals(new Reading.Verdict(outcome, header.length), Reading.everyWay(all.toByteArray()));
    }
}
