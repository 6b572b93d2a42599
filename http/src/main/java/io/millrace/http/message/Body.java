package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.BodyDuplex;
import io.millrace.http.BodyReader;
import io.millrace.http.BodyWriter;
import io.millrace.http.EventStream;
import io.millrace.http.Response;
import io.millrace.http.coding.BodyDecoding;
import io.millrace.http.coding.BodyEncoding;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// How the body of a response comes.
public sealed interface Body {
    /// A length that only the end tells.
    long UNKNOWN = -1;

    Body NONE = new Whole(Bytes.EMPTY);

    record Whole(Bytes bytes) implements Body {}

    /// Written as the peer takes it.
    ///
    /// @param length of what the writer writes
    /// @param encoding what becomes of it on its way
    record Stream(BodyWriter writer, long length, Optional<BodyEncoding> encoding) implements Body {
        public Stream(BodyWriter writer, long length) {
            this(writer, length, Optional.empty());
        }
    }

    record File(Path path, UnaryOperator<Response> change) implements Body {}

    record Events(Consumer<EventStream> open) implements Body {}

    record Later(CompletionStage<Response> stage, UnaryOperator<Response> change) implements Body {}

    /// Answered when the request's body was read.
    ///
    /// @param decoding what becomes of the request's body before it is read
    record Reading(BodyReader reader, UnaryOperator<Response> change, Optional<BodyDecoding> decoding) implements Body {
        public Reading(BodyReader reader, UnaryOperator<Response> change) {
            this(reader, change, Optional.empty());
        }
    }

    /// Answered elsewhere, where the body of the request goes.
    ///
    /// @param decoding what becomes of the request's body before it goes there
    record Relayed(Relay relay, UnaryOperator<Response> change, Optional<BodyDecoding> decoding) implements Body {
        public Relayed(Relay relay) {
            this(relay, UnaryOperator.identity(), Optional.empty());
        }
    }

    /// As of a stream, and of a reader.
    record Duplex(BodyDuplex duplex, long length, Optional<BodyEncoding> encoding, Optional<BodyDecoding> decoding)
            implements Body {
        public Duplex(BodyDuplex duplex, long length) {
            this(duplex, length, Optional.empty(), Optional.empty());
        }
    }
}
