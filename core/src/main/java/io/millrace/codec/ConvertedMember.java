package io.millrace.codec;

import io.millrace.bytes.Bytes;
import io.millrace.loop.Addressee;
import io.millrace.loop.Encoding;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Recipient;
import java.util.function.Function;

/// A member of a group of other messages than its own.
///
/// @param <T> the group's messages
/// @param <M> the member's own
record ConvertedMember<T, M>(Addressee<M> member, Function<? super T, ? extends M> conversion)
        implements GroupMember<T>, Addressee<T> {
    /// The implementation, which all members are.
    ///
    /// @throws IllegalArgumentException for another one
    @SuppressWarnings("unchecked") // of the same messages
    static <M> Addressee<M> addressee(GroupMember<M> member) {
        if (member instanceof Messages<M> messages) return messages.addressee();
        if (member instanceof Addressee<?> ours) return (Addressee<M>) ours;
        throw new IllegalArgumentException(
                member + " cannot be a member of a group: take messages, a WebSocket, or a stream of events");
    }

    @Override
    public Recipient recipient() {
        return member.recipient();
    }

    @Override
    public Encoding<T> encoding() {
        return new Converted<>(member.encoding(), conversion);
    }

    private record Converted<T, M>(Encoding<M> encoding, Function<? super T, ? extends M> conversion)
            implements Encoding<T> {
        @Override
        public Bytes frame(EventLoop lender, T message) {
            return encoding.frame(lender, conversion.apply(message));
        }
    }
}
