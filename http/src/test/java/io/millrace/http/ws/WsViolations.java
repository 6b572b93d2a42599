package io.millrace.http.ws;

import static io.millrace.http.ws.RawFrame.FIN;
import static io.millrace.http.ws.RawFrame.RSV1;
import static io.millrace.http.ws.RawFrame.all;
import static io.millrace.http.ws.RawFrame.hex;
import static io.millrace.http.ws.RawFrame.masked;
import static io.millrace.http.ws.RawFrame.plain;

import io.millrace.bytes.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// What RFC 6455 and RFC 7692 have an endpoint fail the connection for.
public final class WsViolations {
    /// Frames that break a rule.
    ///
    /// @param code of the close frame that answers it
    /// @param isPacked whether it takes an agreement on `permessage-deflate`
    /// @param seenAfter bytes that are enough to know
    public record Violation(String what, int code, boolean ofClient, boolean isPacked, int seenAfter, Bytes bytes) {
        @Override
        public String toString() {
            return (ofClient ? "of a client: " : "of a server: ") + what;
        }

        /// The same of a server, without masks.
        private Violation ofServer() {
            var from = bytes.toArray();
            var to = new ByteArrayOutputStream();
            int seen = seenAfter;
            for (int at = 0; at < from.length; ) {
                int header = 2 + (from[at + 1] == -2 ? 2 : from[at + 1] == -1 ? 8 : 0);
                int length = lengthOf(from, at, header);
                if (at + header < seenAfter) seen -= Math.min(4, seenAfter - at - header);
                to.write(from[at]);
                to.write(from[at + 1] & 0x7f);
                to.write(from, at + 2, header - 2);
                for (int i = 0; i < length; i++) to.write(from[at + header + 4 + i] ^ from[at + header + i % 4]);
                at += header + 4 + length;
            }
            return new Violation(what, code, false, isPacked, seen, Bytes.of(to.toByteArray()));
        }

        /// As much of the payload as is there.
        private static int lengthOf(byte[] from, int at, int header) {
            long length = header == 2 ? from[at + 1] & 0x7f : 0;
            for (int i = 2; i < header; i++) length = length << 8 | (from[at + i] & 0xff);
            int there = from.length - at - header - 4;
            return length < 0 ? there : (int) Math.min(length, there);
        }
    }

    private WsViolations() {}

    private static Violation ofClient(String what, int code, int seenAfter, byte[]... bytes) {
        return new Violation(what, code, true, false, seenAfter, Bytes.of(all(bytes)));
    }

    private static Violation packed(String what, int code, int seenAfter, byte[]... bytes) {
        return new Violation(what, code, true, true, seenAfter, Bytes.of(all(bytes)));
    }

    /// Of clients, which have masks.
    public static List<Violation> ofClients() {
        var all = new ArrayList<>(mirrored());
        all.add(ofClient("no mask", 1002, 2, plain(FIN | 1, new byte[3])));
        all.add(ofClient("no mask of a ping", 1002, 2, plain(FIN | 9, new byte[0])));
        all.add(ofClient("no mask of a continuation", 1002, 9, masked(1, "a"), plain(FIN, new byte[1])));
        return all;
    }

    /// Of servers, which have none.
    public static List<Violation> ofServers() {
        var all = new ArrayList<>(mirrored().stream().map(Violation::ofServer).toList());
        all.add(new Violation("a mask", 1002, false, false, 2, Bytes.of(masked(FIN | 1, "hi"))));
        all.add(new Violation("a mask of a ping", 1002, false, false, 2, Bytes.of(masked(FIN | 9, ""))));
        return all;
    }

    /// What either end must not send, as clients send it.
    private static List<Violation> mirrored() {
        var all = new ArrayList<>(List.of(
                ofClient("RSV1 without compression", 1002, 1, masked(FIN | RSV1 | 1, "hi")),
                ofClient("RSV2", 1002, 1, masked(FIN | 0x20 | 1, "hi")),
                ofClient("RSV3", 1002, 1, masked(FIN | 0x10 | 2, "hi")),
                ofClient("RSV3 of a ping", 1002, 1, masked(FIN | 0x10 | 9, "hi")),
                ofClient("RSV2 of a continuation", 1002, 8, masked(1, "a"), masked(FIN | 0x20, "b")),
                ofClient("a close in fragments", 1002, 1, masked(8, "")),
                ofClient("a ping in fragments", 1002, 1, masked(9, "a"), masked(FIN, "b")),
                ofClient("a pong in fragments", 1002, 1, masked(10, "a")),
                ofClient("a ping of 126 bytes", 1002, 2, masked(FIN | 9, new byte[126])),
                ofClient("a close of 65536 bytes", 1002, 2, masked(FIN | 8, new byte[65536])),
                ofClient("a pong of 200 bytes", 1002, 2, masked(FIN | 10, new byte[200])),
                ofClient("a continuation of nothing", 1002, 1, masked(FIN, "a")),
                ofClient("a continuation of nothing that goes on", 1002, 1, masked(0, "a")),
                ofClient("a continuation of a whole message", 1002, 8, masked(FIN | 1, "a"), masked(FIN, "b")),
                ofClient("a text within a text", 1002, 8, masked(1, "a"), masked(FIN | 1, "b")),
                ofClient("bytes within a text", 1002, 8, masked(1, "a"), masked(2, "b")),
                ofClient("7 in two bytes", 1002, 4, hex("82 fe 0007 00000000")),
                ofClient("125 in two bytes", 1002, 4, hex("82 fe 007d 00000000")),
                ofClient("125 in eight bytes", 1002, 10, hex("82 ff 000000000000007d 00000000")),
                ofClient("65535 in eight bytes", 1002, 10, hex("82 ff 000000000000ffff 00000000")),
                ofClient("0 in two bytes", 1002, 4, hex("82 fe 0000 00000000")),
                ofClient("2^63", 1002, 10, hex("82 ff 8000000000000000 00000000")),
                ofClient("2^64 - 1", 1002, 10, hex("82 ff ffffffffffffffff 00000000")),
                ofClient("2^63 - 1", 1009, 10, hex("82 ff 7fffffffffffffff 00000000")),
                ofClient("2^32", 1009, 10, hex("82 ff 0000000100000000 00000000")),
                ofClient("a MiB and a byte", 1009, 10, hex("82 ff 0000000000100001 00000000")),
                ofClient("2^63 - 1 more", 1009, 17, masked(1, "a"), hex("80 ff 7fffffffffffffff 00000000")),
                ofClient("half a code", 1002, 2, masked(FIN | 8, "a")),
                ofClient("an invalid byte", 1007, 7, masked(FIN | 1, hex("ff 61 62"))),
                ofClient("an overlong slash", 1007, 7, masked(FIN | 1, hex("c0 af"))),
                ofClient("an overlong slash in three bytes", 1007, 8, masked(FIN | 1, hex("e0 80 af"))),
                ofClient("a surrogate", 1007, 8, masked(FIN | 1, hex("ed a0 80 61"))),
                ofClient("more than U+10FFFF", 1007, 8, masked(FIN | 1, hex("f4 90 80 80"))),
                ofClient("f5", 1007, 9, masked(FIN | 1, hex("61 62 f5 61 62"))),
                ofClient(
                        "a continuation byte alone", 1007, 21, masked(FIN | 1, "12345678"), masked(FIN | 1, hex("80"))),
                ofClient("a text that ends within a character", 1007, 8, masked(FIN | 1, hex("61 c3"))),
                ofClient(
                        "a character that is wrong in the next fragment",
                        1007,
                        15,
                        masked(1, hex("e2 82")),
                        masked(0, hex("28 61"))),
                ofClient(
                        "a text that ends within a character, in an empty fragment",
                        1007,
                        14,
                        masked(1, hex("e2 82")),
                        masked(FIN, "")),
                ofClient("a reason that is not UTF-8", 1007, 10, masked(FIN | 8, hex("03e8 ff61"))),
                ofClient("a reason that is cut", 1007, 9, masked(FIN | 8, hex("03e8 c3")))));
        for (int kind : new int[] {3, 4, 5, 6, 7, 11, 12, 13, 14, 15})
            all.add(ofClient("the kind " + kind, 1002, 1, masked(FIN | kind, "a")));
        for (int code : new int[] {0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535})
            all.add(ofClient("the code " + code, 1002, 8, masked(FIN | 8, new byte[] {(byte) (code >> 8), (byte) code
            })));
        all.addAll(packed());
        return all;
    }

    private static List<Violation> packed() {
        return List.of(
                packed("RSV1 of a ping", 1002, 1, masked(FIN | RSV1 | 9, "a")),
                packed("RSV1 of a pong", 1002, 1, masked(FIN | RSV1 | 10, "")),
                packed("RSV1 of a close", 1002, 1, masked(FIN | RSV1 | 8, hex("03e8"))),
                packed("RSV1 of a continuation", 1002, 10, masked(RSV1 | 1, hex("f248cd")), masked(FIN | RSV1, "")),
                packed("RSV1 of a continuation of a plain text", 1002, 8, masked(1, "a"), masked(FIN | RSV1, "b")),
                packed("RSV1 and RSV2", 1002, 1, masked(FIN | RSV1 | 0x20 | 1, hex("f248cdc9c90700"))),
                packed("a block of no kind", 1007, 7, masked(FIN | RSV1 | 1, hex("ff"))),
                packed("a block that is cut", 1007, 9, masked(FIN | RSV1 | 2, hex("f248cd"))),
                packed("a distance before the message", 1007, 11, masked(FIN | RSV1 | 1, hex("f200110000"))),
                packed("packed bytes that are not UTF-8", 1007, 13, masked(FIN | RSV1 | 1, hex("000100feffff00"))));
    }

    /// Bytes of a connection, so many.
    @FunctionalInterface
    public interface Reading {
        byte[] bytes(int count) throws IOException;
    }

    /// The code of the close frame that comes behind others, all of them short.
    public static int closeCode(Reading from) throws IOException {
        while (true) {
            var header = exactly(from, 2);
            var mask = exactly(from, header[1] < 0 ? 4 : 0);
            var payload = exactly(from, header[1] & 0x7f);
            if ((header[0] & 0xff) != (FIN | 8)) continue;
            for (int i = 0; i < payload.length && mask.length > 0; i++) payload[i] = (byte) (payload[i] ^ mask[i % 4]);
            return (payload[0] & 0xff) << 8 | (payload[1] & 0xff);
        }
    }

    private static byte[] exactly(Reading from, int count) throws IOException {
        var bytes = from.bytes(count);
        if (bytes.length < count) throw new EOFException("before a close frame");
        return bytes;
    }
}
