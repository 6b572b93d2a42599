package io.millrace.http.ws;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/// Frames as bytes, put together without the code that is tested, and also such as nobody may send.
public final class RawFrame {
    static final int FIN = 0x80;
    static final int RSV1 = 0x40;

    private static final byte[] MASK = {0x37, (byte) 0xfa, 0x21, 0x3d};

    private RawFrame() {}

    /// Of a client: with a mask.
    public static byte[] masked(int first, byte[] payload) {
        var out = new ByteArrayOutputStream();
        header(out, first, 0x80, payload.length);
        out.writeBytes(MASK);
        for (int i = 0; i < payload.length; i++) out.write(payload[i] ^ MASK[i % 4]);
        return out.toByteArray();
    }

    public static byte[] masked(int first, String payload) {
        return masked(first, payload.getBytes(StandardCharsets.UTF_8));
    }

    /// Of a server.
    static byte[] plain(int first, byte[] payload) {
        var out = new ByteArrayOutputStream();
        header(out, first, 0, payload.length);
        out.writeBytes(payload);
        return out.toByteArray();
    }

    private static void header(ByteArrayOutputStream out, int first, int second, int length) {
        out.write(first);
        if (length < 126) {
            out.write(second | length);
        } else if (length < 65536) {
            out.write(second | 126);
            out.write(length >> 8);
            out.write(length);
        } else {
            out.write(second | 127);
            for (int shift = 56; shift >= 0; shift -= 8) out.write((int) ((long) length >> shift));
        }
    }

    static byte[] hex(String digits) {
        return HexFormat.of().parseHex(digits.replace(" ", ""));
    }

    static byte[] all(byte[]... parts) {
        var out = new ByteArrayOutputStream();
        for (var part : parts) out.writeBytes(part);
        return out.toByteArray();
    }
}
