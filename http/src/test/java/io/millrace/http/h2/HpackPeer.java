package io.millrace.http.h2;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/// A decoder and what it has decoded, as lines.
final class HpackPeer {
    private final HpackScratch scratch = new HpackScratch();
    final HpackDecoder decoder;

    HpackPeer(int mostTableBytes) {
        decoder = new HpackDecoder(mostTableBytes);
    }

    /// @param hex bytes, with blanks anywhere
    List<String> decode(String hex) throws HpackError {
        return decode(bytes(hex));
    }

    List<String> decode(byte[] block) throws HpackError {
        return decodeFields(block).stream().map(HpackField::toString).toList();
    }

    List<HpackField> decodeFields(byte[] block) throws HpackError {
        var fields = new ArrayList<HpackField>();
        decode(block, fields::add);
        return fields;
    }

    void decode(byte[] block, HpackDecoder.Fields into) throws HpackError {
        decoder.decode(block, 0, block.length, scratch, into);
    }

    /// Newest first.
    List<String> table() throws HpackError {
        var fields = new ArrayList<String>();
        int bytes = 0;
        for (int index = HpackStatic.COUNT + 1; bytes < decoder.bytes(); index++) {
            int rest = index - 0x7f;
            var block = rest < 0 ? new byte[] {(byte) (0x80 | index)} : new byte[] {-1, (byte) rest};
            var field = decodeFields(block).getFirst();
            bytes += field.bytes;
            fields.add(field.toString());
        }
        return fields;
    }

    static byte[] bytes(String hex) {
        return HexFormat.of().parseHex(hex.replaceAll("\\s", ""));
    }

    static byte[] joined(byte[] first, byte[] second) {
        var both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
