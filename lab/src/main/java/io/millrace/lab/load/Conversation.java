package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import java.util.function.Supplier;

/// The protocol on one connection of a load: what a message looks like on the wire, and how its answer is
/// recognised and judged. Everything else in a load is the same for all protocols. The loop's.
///
/// Messages are numbered from 0 for each place of the load, and go on counting when one connection replaces
/// another; the conversation is a new one then. Those that a connection leaves unanswered follow those that it
/// answered.
interface Conversation {
    /// Of each message on the wire, 1 or more.
    int sizeBytes();

    /// Whether the connection takes another message now.
    boolean hasRoom();

    /// Writes what the protocol owes the server beside messages: how it begins, and what it answers by itself. Called
    /// before the first message, and after each input.
    default void reply(Output to) {}

    /// Whether the load may begin, as far as this connection goes: where the server has to agree to something first,
    /// [#reply] asks for it.
    default boolean isOpen() {
        return true;
    }

    /// Whether the server has said all that it says before the first message.
    default boolean hasBegun() {
        return true;
    }

    /// Writes the next bytes of a message behind the first `from`, as many as are good at once.
    ///
    /// @param number of the message, which is written to its end before the next
    /// @return how many; 0 when the server has to make room first
    int write(Output to, long number, int from);

    /// Takes what has arrived, up to the end of an answer. What it leaves is offered again, with more.
    ///
    /// @param oldest number of the first message that has no answer, though it may not have been sent
    /// @param answer filled in when the answer is complete
    /// @return whether one is
    /// @throws BadAnswer when nothing that follows could be trusted
    boolean read(Input in, long oldest, MeasuredAnswer answer) throws BadAnswer;

    /// The server has ended the connection.
    ///
    /// @return whether that completes the answer
    boolean end(long oldest, MeasuredAnswer answer);

    /// Whether nothing is missing on this connection, and the server takes no more: the client closes it.
    default boolean hasEnded() {
        return false;
    }

    /// Begins conversations on the connections of one loop.
    interface Protocol {
        /// The conversation of a new connection.
        ///
        /// @param connection its number among the places of the load, from 0
        Conversation begin(int connection);
    }

    /// What makes a protocol for each loop; any thread may call it.
    static Supplier<Protocol> about(LoadMessages messages) {
        return switch (messages) {
            case EchoMessages echo -> EchoConversation.protocols(echo);
            case HttpMessages http -> HttpProtocol.protocols(http);
            case Http2Messages http2 -> Http2Protocol.protocols(http2);
            case WsMessages ws -> WsConversation.protocols(ws);
            case FanOutMessages _ -> throw new IllegalArgumentException("messages to all have no answers");
        };
    }
}
