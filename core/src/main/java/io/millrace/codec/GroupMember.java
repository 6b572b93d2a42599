package io.millrace.codec;

import java.util.function.Function;

/// What may join a [Group] of messages of one type. [Messages] are members of groups of their messages,
/// WebSockets and streams of events of groups of texts, a WebSocket's `binary()` of groups of
/// [io.millrace.bytes.Bytes]:
///
/// ```java
/// var prices = new Group<Price>();
/// prices.join(peer);                       // Messages<Price>
/// prices.join(socket.as(Price::toJson));   // a WebSocket
/// ```
/// Millrace has the implementations.
public interface GroupMember<M> {
    /// The same member for a group of messages of another type. Members with the same function (the same object)
    /// share what it returns, so take a constant for many of them; it may be called by any thread that sends to
    /// the group, and on loops.
    default <T> GroupMember<T> as(Function<? super T, ? extends M> conversion) {
        return new ConvertedMember<>(ConvertedMember.addressee(this), conversion);
    }
}
