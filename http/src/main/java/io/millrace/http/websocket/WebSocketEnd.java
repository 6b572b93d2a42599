package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.codec.GroupMember;
import java.net.SocketAddress;
import java.util.Optional;

/// One end of a WebSocket, in either style: what it is, and how it ends. Any thread may use it.
///
/// It may join a [io.millrace.codec.Group] of texts, whose messages it sends to the peer.
public interface WebSocketEnd extends GroupMember<String> {
    /// Closes with 1000, behind what was sent; does not wait for the peer.
    default void close() {
        close(CloseCode.NORMAL, "");
    }

    /// Sends a close frame behind what was sent, and closes when the peer has answered, or after
    /// [WebSocketSettings#closeTimeout]. Messages that the peer still sends are dropped, and so are those that a
    /// pause has kept with the peer. Without effect when the socket closes already.
    ///
    /// Before the close frame leave, in their order, the messages and parts that this thread has sent, itself or
    /// by its groups, and those of other threads so far. Within a message in parts that has not got its last
    /// part, whole messages wait for that, and it cannot come any more: the peer gets the parts and the close
    /// frame, and the whole messages behind them are dropped, uncounted.
    ///
    /// @param code 1000 to 1014 but 1004 to 1006, or 3000 to 4999
    /// @param reason at most 123 bytes of UTF-8; a longer one is cut
    /// @throws IllegalArgumentException for another code
    void close(int code, String reason);

    /// Drops the connection or stream now, with what was not sent.
    void abort();

    /// The same socket for a [io.millrace.codec.Group] of bytes, whose messages it sends as they are.
    GroupMember<Bytes> binary();

    /// How many messages were dropped, or replaced by newer ones, because the peer reads too slowly
    /// ([WebSocketSettings#slowReader]).
    long missed();

    /// The subprotocol that both sides speak.
    Optional<String> subprotocol();

    /// The peer's address; valid also after the end.
    SocketAddress remote();
}
