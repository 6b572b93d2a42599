package io.millrace.proxy.announce;

import io.millrace.bytes.Input;
import io.millrace.net.ProtocolError;
import io.millrace.proxy.announce.HeaderReader.Announcement;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/// Version 2: bytes (section 2.2 of the specification).
///
/// ```
///   0        12                 13                   14       16         16 + length
///   ├────────┼──────────────────┼────────────────────┼────────┼──────────┤
///   │ magic  │ version, command │ family, transport  │ length │ addresses, then type-length-value (TLV) …
/// ```
/// Of the TLVs, the checksum is verified; the others are skipped.
final class BinaryHeader {
    private static final byte[] MAGIC = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
    private static final int FIXED_BYTES = 16;
    private static final int LOCAL = 0;
    private static final int PROXY = 1;
    private static final int UNSPECIFIED = 0;
    private static final int INET = 1;
    private static final int INET6 = 2;
    private static final int UNIX = 3;
    private static final int STREAM = 1;
    private static final int UNIX_PATH_BYTES = 108;
    private static final int TYPE_CRC32C = 0x03;
    private static final int CRC_BYTES = 4;

    private BinaryHeader() {}

    static Optional<Announcement> read(Input in, int mostBytes) throws ProtocolError {
        if (!HeaderReader.beginsWith(in, MAGIC) || in.remaining() <= 12) return Optional.empty();
        boolean isLocal = command(in.peekByte(12) & 0xff) == LOCAL;
        if (in.remaining() <= 13) return Optional.empty();
        // The sender's own connection: the rest of the header is ignored.
        int family = isLocal ? UNSPECIFIED : family(in.peekByte(13) & 0xff);
        if (in.remaining() < FIXED_BYTES) return Optional.empty();
        int length = FIXED_BYTES + (in.peekShort(14) & 0xffff);
        if (length > mostBytes) throw new ProtocolError("a header of " + length + " bytes, at most " + mostBytes);
        int addresses = FIXED_BYTES + addressBytes(family);
        if (length < addresses)
            throw new ProtocolError("a header of " + length + " bytes, too short for its addresses");
        if (in.remaining() < length) return Optional.empty();
        var header = new byte[length];
        in.peek(0, header, 0, length);
        var announced = family == UNSPECIFIED ? Announcement.NOTHING : announcement(header, family, addresses);
        in.skip(length);
        return Optional.of(announced);
    }

    private static int command(int versionAndCommand) throws ProtocolError {
        int command = versionAndCommand & 0xf;
        if (versionAndCommand >> 4 == 2 && (command == LOCAL || command == PROXY)) return command;
        throw new ProtocolError("version and command 0x%02x: it must be 0x20 or 0x21".formatted(versionAndCommand));
    }

    private static int family(int familyAndTransport) throws ProtocolError {
        if (familyAndTransport >> 4 <= UNIX && (familyAndTransport & 0xf) <= 2) return familyAndTransport >> 4;
        throw new ProtocolError("unknown family and transport 0x%02x".formatted(familyAndTransport));
    }

    private static int addressBytes(int family) {
        return switch (family) {
            case INET -> 2 * (4 + 2);
            case INET6 -> 2 * (16 + 2);
            case UNIX -> 2 * UNIX_PATH_BYTES;
            default -> 0;
        };
    }

    private static Announcement announcement(byte[] header, int family, int addressEnd) throws ProtocolError {
        checkValues(header, addressEnd);
        if (family == UNIX) {
            return new Announcement(path(header, FIXED_BYTES), path(header, FIXED_BYTES + UNIX_PATH_BYTES));
        }
        int size = family == INET ? 4 : 16;
        int ports = FIXED_BYTES + 2 * size;
        var source = Ip.of(Arrays.copyOfRange(header, FIXED_BYTES, FIXED_BYTES + size));
        var destination = Ip.of(Arrays.copyOfRange(header, FIXED_BYTES + size, ports));
        return Announcement.of(
                new InetSocketAddress(source, number(header, ports)),
                new InetSocketAddress(destination, number(header, ports + 2)));
    }

    /// Up to the first NUL. A socket without a name, or with one that is not printable ASCII, stays
    /// unknown, so that its name does not get into a log or another protocol.
    private static Optional<SocketAddress> path(byte[] header, int from) {
        int end = from;
        while (end < from + UNIX_PATH_BYTES && header[end] != 0) {
            if (header[end] < ' ' || header[end] > '~') return Optional.empty();
            end++;
        }
        if (end == from) return Optional.empty();
        return Optional.of(UnixDomainSocketAddress.of(new String(header, from, end - from, StandardCharsets.US_ASCII)));
    }

    /// TLVs fill the rest exactly.
    private static void checkValues(byte[] header, int from) throws ProtocolError {
        int checksum = -1;
        int at = from;
        while (at < header.length) {
            int length = header.length - at < 3 ? -1 : number(header, at + 1);
            if (length < 0 || length > header.length - at - 3) {
                throw new ProtocolError("a value at byte " + at + " that is longer than the header");
            }
            if (header[at] == TYPE_CRC32C) {
                if (length != CRC_BYTES || checksum >= 0) throw new ProtocolError("an invalid checksum");
                checksum = at + 3;
            }
            at += 3 + length;
        }
        if (checksum >= 0) checkSum(header, checksum);
    }

    /// The header's checksum, with zeros in place of the checksum itself.
    private static void checkSum(byte[] header, int at) throws ProtocolError {
        int said = ByteBuffer.wrap(header).getInt(at);
        Arrays.fill(header, at, at + CRC_BYTES, (byte) 0);
        if (said != crc(header)) throw new ProtocolError("a wrong checksum");
    }

    static int crc(byte[] header) {
        var crc = new CRC32C();
        crc.update(header);
        return (int) crc.getValue();
    }

    private static int number(byte[] bytes, int at) {
        return ((bytes[at] & 0xff) << 8) | (bytes[at + 1] & 0xff);
    }

    /// The header for these addresses; it has none unless they are two IP addresses or two paths.
    static byte[] of(SocketAddress source, SocketAddress destination) {
        if (Ip.isKnown(source) && Ip.isKnown(destination)) {
            return ofIp((InetSocketAddress) source, (InetSocketAddress) destination);
        }
        if (source instanceof UnixDomainSocketAddress from && destination instanceof UnixDomainSocketAddress to) {
            return ofUnix(from, to);
        }
        return header(PROXY, UNSPECIFIED, 0);
    }

    /// The header for a connection of the sender's own.
    static byte[] local() {
        return header(LOCAL, UNSPECIFIED, 0);
    }

    private static byte[] ofIp(InetSocketAddress source, InetSocketAddress destination) {
        var from = source.getAddress().getAddress();
        var to = destination.getAddress().getAddress();
        boolean isIpv4 = from.length == 4 && to.length == 4;
        int family = isIpv4 ? INET : INET6;
        var header = header(PROXY, (family << 4) | STREAM, addressBytes(family));
        ByteBuffer.wrap(header)
                .position(FIXED_BYTES)
                .put(isIpv4 ? from : Ip.sixteen(from))
                .put(isIpv4 ? to : Ip.sixteen(to))
                .putShort((short) source.getPort())
                .putShort((short) destination.getPort());
        return header;
    }

    private static byte[] ofUnix(UnixDomainSocketAddress source, UnixDomainSocketAddress destination) {
        var from = source.getPath().toString().getBytes(StandardCharsets.UTF_8);
        var to = destination.getPath().toString().getBytes(StandardCharsets.UTF_8);
        if (from.length > UNIX_PATH_BYTES || to.length > UNIX_PATH_BYTES) return header(PROXY, UNSPECIFIED, 0);
        var header = header(PROXY, (UNIX << 4) | STREAM, addressBytes(UNIX));
        System.arraycopy(from, 0, header, FIXED_BYTES, from.length);
        System.arraycopy(to, 0, header, FIXED_BYTES + UNIX_PATH_BYTES, to.length);
        return header;
    }

    private static byte[] header(int command, int familyAndTransport, int lengthBytes) {
        var header = new byte[FIXED_BYTES + lengthBytes];
        ByteBuffer.wrap(header)
                .put(MAGIC)
                .put((byte) ((2 << 4) | command))
                .put((byte) familyAndTransport)
                .putShort((short) lengthBytes);
        return header;
    }
}
