package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.net.ProtocolError;
import java.util.function.BiConsumer;

/// What the bytes of a frame mean, in both directions. A codec without state can serve any number of connections,
/// on any thread; one with state is made for one connection, in the factory.
///
/// ```java
/// record Say(long room, String text) {}
/// var codec = Codec.of(in -> new Say(in.readLong(), in.readUtf8(in.remaining())),
///                      (say, out) -> out.writeLong(say.room()).writeUtf8(say.text()));
/// ```
public interface Codec<M> {
    /// Reads a message from the body of one whole frame: the input ends where the body ends, and all of it must be
    /// read. Bytes left over and reads past the end become a [ProtocolError] of the peer, which closes its
    /// connection and is logged (`frame` in `docs/limits.md`); any other exception ends the connection as a
    /// handler's exception does. A protocol that answers invalid messages decodes them to a message, too.
    ///
    /// @param frame lent until this returns
    /// @throws ProtocolError when the bytes mean nothing
    M decode(Input frame) throws ProtocolError;

    /// Writes only the body of a message: the framing adds the rest. What it throws reaches the sender, and nothing
    /// of the message is sent.
    void encode(M message, Output out);

    /// A codec made of two functions.
    static <M> Codec<M> of(Decoder<M> decode, BiConsumer<? super M, ? super Output> encode) {
        return new Codec<>() {
            @Override
            public M decode(Input frame) throws ProtocolError {
                return decode.decode(frame);
            }

            @Override
            public void encode(M message, Output out) {
                encode.accept(message, out);
            }
        };
    }

    /// One direction of a codec; see [Codec#decode].
    @FunctionalInterface
    interface Decoder<M> {
        M decode(Input frame) throws ProtocolError;
    }

    /// Texts in UTF-8; what is not UTF-8 is read as U+FFFD.
    static Codec<String> utf8() {
        return of(frame -> frame.readUtf8(frame.remaining()), (text, out) -> out.writeUtf8(text));
    }

    /// The bytes themselves, as a value.
    static Codec<Bytes> bytes() {
        return of(frame -> frame.readBytes(frame.remaining()), (bytes, out) -> out.write(bytes));
    }
}
