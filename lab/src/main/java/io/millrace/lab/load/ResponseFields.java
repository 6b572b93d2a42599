package io.millrace.lab.load;

import io.millrace.http.h2.HpackDecoder;
import io.millrace.http.h2.HpackError;
import io.millrace.http.h2.HpackField;
import io.millrace.http.h2.HpackScratch;
import io.millrace.http.h2.Http2Codes;

/// Decodes the fields of responses in HTTP/2, for the connections of one loop.
final class ResponseFields {
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

    private final byte[] block = new byte[Http2Codes.MOST_BYTES];
    private final HpackScratch scratch = new HpackScratch();
    private final Status status = new Status();

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
}
