package io.millrace.http.message;

import io.millrace.bytes.Bytes;
import io.millrace.http.BlockingBodyWriter;
import io.millrace.http.BodyDuplex;
import io.millrace.http.BodyReader;
import io.millrace.http.BodyWriter;
import io.millrace.http.EventStream;
import io.millrace.http.JsonCodec;
import io.millrace.http.PushBody;
import io.millrace.http.Response;
import io.millrace.http.coding.BodyEncoding;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/// The kind of a response's body.
public sealed interface Body {
    /// A length that is unknown until the end.
    long UNKNOWN = -1;

    /// A body from a publisher.
    static Body published(Flow.Publisher<Bytes> parts) {
        return new Pushed(body -> parts.subscribe(new PublishedBody(body)), UNKNOWN);
    }

    /// Whether status and fields come later.
    default boolean isToCome() {
        return switch (this) {
            case Later _, File _, Reading _, Collecting _, Relayed _ -> true;
            case Whole _, Json _, Stream _, Blocking _, Pushed _, Events _, Duplex _ -> false;
        };
    }

    /// The same; a response that comes later is changed then.
    ///
    /// @throws IllegalStateException for a response that is there
    default Body map(UnaryOperator<Response> then) {
        return switch (this) {
            case Later(var stage, var change) -> new Later(stage, both(change, then));
            case File(var path, var change) -> new File(path, both(change, then));
            case Reading(var reader, var change) -> new Reading(reader, both(change, then));
            case Collecting(var most, var handler, var change) -> new Collecting(most, handler, both(change, then));
            case Relayed(var relay, var change) -> new Relayed(relay, both(change, then));
            case Whole _, Json _, Stream _, Blocking _, Pushed _, Events _, Duplex _ ->
                throw new IllegalStateException("the response is there already");
        };
    }

    private static UnaryOperator<Response> both(UnaryOperator<Response> first, UnaryOperator<Response> second) {
        return response -> second.apply(first.apply(response));
    }

    /// The same with an announced length.
    ///
    /// @throws IllegalStateException if the length is known, or set elsewhere
    default Body withLength(long bytes) {
        return switch (this) {
            case Stream stream -> new Stream(stream.writer, bytes, stream.encoding);
            case Blocking blocking -> new Blocking(blocking.writer, bytes, blocking.encoding);
            case Pushed pushed -> new Pushed(pushed.open, bytes, pushed.encoding);
            case Duplex both -> new Duplex(both.duplex, bytes, both.encoding);
            case Whole _, Json _, File _, Events _, Later _, Reading _, Collecting _, Relayed _ ->
                throw new IllegalStateException("only a stream has a length to set");
        };
    }

    /// A whole body.
    ///
    /// @param isPhrase whether it is an error's standard phrase, by default
    record Whole(Bytes bytes, boolean isPhrase) implements Body {
        /// No body.
        public static final Whole NONE = new Whole(Bytes.EMPTY);

        public Whole(Bytes bytes) {
            this(bytes, false);
        }
    }

    /// A value, which is written as JSON when the codec is known.
    record Json(Object value) implements Body {
        public Whole written(JsonCodec codec) {
            return new Whole(codec.write(value));
        }
    }

    /// Written as the peer takes it.
    ///
    /// @param length of the writer's output
    /// @param encoding the content coding, if any
    record Stream(BodyWriter writer, long length, Optional<BodyEncoding> encoding) implements Body {
        public Stream(BodyWriter writer, long length) {
            this(writer, length, Optional.empty());
        }
    }

    /// Written by blocking code, on a thread of its own.
    ///
    /// @param length of the writer's output
    /// @param encoding the content coding, if any
    record Blocking(BlockingBodyWriter writer, long length, Optional<BodyEncoding> encoding) implements Body {
        public Blocking(BlockingBodyWriter writer, long length) {
            this(writer, length, Optional.empty());
        }
    }

    /// Sent by any thread, when there is something to send.
    ///
    /// @param open called with the body when the response begins
    /// @param length of all parts
    /// @param encoding the content coding, if any
    record Pushed(Consumer<PushBody> open, long length, Optional<BodyEncoding> encoding) implements Body {
        public Pushed(Consumer<PushBody> open, long length) {
            this(open, length, Optional.empty());
        }
    }

    record File(Path path, UnaryOperator<Response> change) implements Body {}

    record Events(Consumer<EventStream> open) implements Body {}

    record Later(CompletionStage<Response> stage, UnaryOperator<Response> change) implements Body {}

    /// Answered when the request's body has been read.
    record Reading(BodyReader reader, UnaryOperator<Response> change) implements Body {}

    /// Answered when the request's body has been collected.
    ///
    /// @param most the longest body, in bytes
    /// @param handler called then
    record Collecting(long most, Callable<Response> handler, UnaryOperator<Response> change) implements Body {}

    /// Answered elsewhere, where the request's body goes.
    record Relayed(Relay relay, UnaryOperator<Response> change) implements Body {
        public Relayed(Relay relay) {
            this(relay, UnaryOperator.identity());
        }
    }

    /// Writes a body while the request's body is read.
    record Duplex(BodyDuplex duplex, long length, Optional<BodyEncoding> encoding) implements Body {
        public Duplex(BodyDuplex duplex, long length) {
            this(duplex, length, Optional.empty());
        }
    }
}
