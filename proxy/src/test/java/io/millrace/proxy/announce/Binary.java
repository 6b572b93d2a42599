package io.millrace.proxy.announce;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// Headers of version 2, written by the specification and not by our writer, also wrong ones.
final class Binary {
    private static final String MAGIC = "0d0a0d0a000d0a515549540a";

    private final ByteArrayOutputStream rest = new ByteArrayOutputStream();
    private int command = 0x21;
    private int family = 0x11;
    private int length = -1;

    static Binary header() {
        return new Binary();
    }

    /// From 192.0.2.1:1000 to 198.51.100.2:443.
    static Binary ipv4() {
        return header().hex("c0000201c633640203e801bb");
    }

    static Binary unix(String from, String to) {
        var both = ByteBuffer.allocate(216);
        both.put(0, from.getBytes(StandardCharsets.ISO_8859_1)).put(108, to.getBytes(StandardCharsets.ISO_8859_1));
        return header().family(0x31).bytes(both.array());
    }

    Binary command(int value) {
        command = value;
        return this;
    }

    Binary family(int value) {
        family = value;
        return this;
    }

    /// Another length than that of what follows.
    Binary length(int value) {
        length = value;
        return this;
    }

    Binary hex(String digits) {
        return bytes(HexFormat.of().parseHex(digits));
    }

    Binary bytes(byte... bytes) {
        rest.writeBytes(bytes);
        return this;
    }

    Binary tlv(int type, byte... value) {
        bytes((byte) type, (byte) (value.length >> 8), (byte) value.length);
        return bytes(value);
    }

    /// A checksum of everything so far, which is then no more added to.
    byte[] withChecksum() {
        tlv(0x03, new byte[4]);
        var bytes = toBytes();
        int crc = BinaryHeader.crc(bytes);
        ByteBuffer.wrap(bytes).putInt(bytes.length - 4, crc);
        return bytes;
    }

    byte[] toBytes() {
        var body = rest.toByteArray();
        return ByteBuffer.allocate(16 + body.length)
                .put(HexFormat.of().parseHex(MAGIC))
                .put((byte) command)
                .put((byte) family)
                .putShort((short) (length < 0 ? body.length : length))
                .put(body)
                .array();
    }
}
