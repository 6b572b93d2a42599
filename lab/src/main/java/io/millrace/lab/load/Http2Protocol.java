package io.millrace.lab.load;

import io.millrace.http.h2.HpackDecoder;
import io.millrace.http.h2.HpackError;
import io.millrace.http.h2.HpackField;
import io.millrace.http.h2.HpackScratch;
import io.millrace.http.h2.Http2Codes;
import java.util.function.Supplier;

/// Requests to send in HTTP/2, and which responses are right; for the connections of one loop.
final class Http2Protocol implements Conversation.Protocol {
    /// Takes no more than the status, which comes first.
    private static final class Status implements HpackDecoder.Fields {
        /// 0 when there was none.
        private int code;

        @Override
        public boolean add(HpackField field) {
            if (field.name.equals(":status")) code = code(field.value);
            return false;
        }

        private static int code(String value) {
            int code = 0;
            for (int i = 0; i < value.length() && code < 1000; i++) code = 10 * code + value.charAt(i) - '0';
            return code >= 100 && code < 1000 ? code : 0;
        }
    }

    private final RequestFrames frames;
    private final byte[] body;
    private final ExpectedResponse expected;
    private final byte[] block = new byte[Http2Codes.MOST_BYTES];
    private final HpackScratch scratch = new HpackScratch();
    private final Status status = new Status();

    private Http2Protocol(Http2Messages messages, ExpectedResponse expected) {
        this.frames = new RequestFrames(messages.requests(), messages.scheme());
        this.body = messages.requests().body().toArray();
        this.expected = expected;
    }

    static Supplier<Conversation.Protocol> protocols(Http2Messages messages) {
        var expected = ExpectedResponse.to(messages.requests());
        return () -> new Http2Protocol(messages, expected.get());
    }

    @Override
    public Conversation begin(int connection) {
        return new Http2Conversation(this, connection);
    }

    /// Decodes a block of fields, for its status and for the table.
    ///
    /// @return 0 when there is no status
    int status(HpackDecoder decoder, byte[] block, int length) throws HpackError {
        status.code = 0;
        decoder.decode(block, 0, length, scratch, status);
        return status.code;
    }

    /// Room for the block of a frame.
    byte[] block() {
        return block;
    }

    RequestFrames frames() {
        return frames;
    }

    byte[] body() {
        return body;
    }

    ExpectedResponse expected() {
        return expected;
    }
}
