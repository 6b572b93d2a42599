package io.millrace.proxy.announce;

import io.millrace.bytes.Input;
import io.millrace.net.ProtocolError;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.Optional;

/// Reads a header of the PROXY protocol, of either version. It has no state: an incomplete header is left
/// unread, and read again from its beginning. Bytes that cannot become a header are refused at the first
/// wrong byte. Immutable.
///
/// The result depends on the bytes alone, not on the pieces they arrive in.
public final class HeaderReader {
    private final int mostBytes;

    /// A reader with a size limit.
    ///
    /// @param mostBytes of a header of version 2; one of version 1 has [LineHeader#MOST_BYTES] at most
    public HeaderReader(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /// Consumes a header and nothing after it.
    ///
    /// @return empty while the header is incomplete; then nothing was consumed
    /// @throws ProtocolError if it is not a header, or too long
    public Optional<Announcement> read(Input in) throws ProtocolError {
        if (in.isEmpty()) return Optional.empty();
        return switch (in.peekByte(0)) {
            case 'P' -> LineHeader.read(in);
            case '\r' -> BinaryHeader.read(in, mostBytes);
            default -> throw new ProtocolError("not a header: it begins with 0x%02x".formatted(in.peekByte(0) & 0xff));
        };
    }

    /// Compares as much of the beginning as has arrived.
    ///
    /// @return false while a part of the beginning is missing
    static boolean beginsWith(Input in, byte[] beginning) throws ProtocolError {
        int length = (int) Math.min(in.remaining(), beginning.length);
        var begun = new byte[length];
        in.peek(0, begun, 0, length);
        int differs = Arrays.mismatch(begun, 0, length, beginning, 0, length);
        if (differs >= 0) throw new ProtocolError("not a header: its byte " + differs + " is wrong");
        return length == beginning.length;
    }

    /// The content of a header.
    ///
    /// @param source      the client's address; empty for the sender's own connection, or if unknown
    /// @param destination the address that the client connected to; empty likewise
    public record Announcement(Optional<SocketAddress> source, Optional<SocketAddress> destination) {
        /// The header changes no address.
        static final Announcement NOTHING = new Announcement(Optional.empty(), Optional.empty());

        static Announcement of(SocketAddress source, SocketAddress destination) {
            return new Announcement(Optional.of(source), Optional.of(destination));
        }
    }
}
