package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.BodyDuplex;
import io.millrace.http.BodyReader;
import io.millrace.http.BodyWriter;
import io.millrace.http.EventStream;
import io.millrace.http.Response;
import java.nio.file.Path;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// How the body of a response comes.
public sealed interface Body {
    /// A length that only the end tells.
    long UNKNOWN = -1;

    Body NONE = new Whole(Bytes.EMPTY);

    record Whole(Bytes bytes) implements Body {}

    record Stream(BodyWriter writer, long length) implements Body {}

    record File(Path path, UnaryOperator<Response> change) implements Body {}

    record Events(Consumer<EventStream> open) implements Body {}

    record Later(CompletionStage<Response> stage, UnaryOperator<Response> change) implements Body {}

    record Reading(BodyReader reader, UnaryOperator<Response> change) implements Body {}

    record Duplex(BodyDuplex duplex, long length) implements Body {}
}
