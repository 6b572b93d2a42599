package io.millrace.http.h2;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// The decoder of Netty, which looks at no names and values.
final class OtherHpack {
    static final List<String> REFUSED = List.of("refused");

    private static final long MOST_LIST_BYTES = 0xffffffffL;

    private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(false, MOST_LIST_BYTES);

    void acknowledged(int mostTableBytes) {
        try {
            decoder.configuration().maxHeaderTableSize(mostTableBytes);
        } catch (Http2Exception e) {
            throw new IllegalArgumentException(e);
        }
    }

    /// Decodes a block.
    ///
    /// @return [#inOrder], or [#REFUSED]
    List<String> decode(byte[] block) {
        try {
            var fields = new ArrayList<String>();
            for (var field : decoder.decodeHeaders(1, Unpooled.wrappedBuffer(block)))
                fields.add(field.getKey() + ": " + field.getValue());
            return fields;
        } catch (Http2Exception e) {
            return REFUSED;
        }
    }

    /// In the order of the other decoder, which gives pseudo-fields first.
    static List<String> inOrder(List<HpackField> fields) {
        var first = fields.stream().filter(OtherHpack::isPseudo);
        var others = fields.stream().filter(field -> !isPseudo(field));
        return Stream.concat(first, others).map(HpackField::toString).toList();
    }

    private static boolean isPseudo(HpackField field) {
        return field.name.startsWith(":");
    }
}
