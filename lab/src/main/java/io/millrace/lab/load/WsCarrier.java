package io.millrace.lab.load;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;

/// What a WebSocket stands on: a connection that began with HTTP/1.1, or a stream of HTTP/2. It opens the WebSocket,
/// and carries the frames. The loop's.
interface WsCarrier {
    /// On a connection that has just been made.
    ///
    /// @param name of the connection, in sentences
    static WsCarrier of(WsHandshake handshake, String name) {
        return handshake.isHttp2() ? new StreamCarrier(handshake, name) : new UpgradedCarrier(handshake, name);
    }

    /// Writes what the server is owed beside frames.
    void reply(Output to);

    /// Whether the server has agreed to a WebSocket.
    boolean isOpen();

    /// How many bytes it takes now, at most those that are wanted.
    int room(int wantedBytes);

    /// Writes what stands before the next bytes, no more than there is [#room] for.
    void before(Output to, int bytes);

    /// Takes what has arrived, up to the end of a message.
    ///
    /// @return whether it came to one
    boolean read(Input in, WsFrames frames) throws BadAnswer;
}
