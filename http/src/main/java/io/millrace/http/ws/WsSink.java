package io.millrace.http.ws;

import io.millrace.bytes.Bytes;
import io.millrace.memory.LoopInput;

/// Takes what a [WsReader] has read. Each method may refuse it with a [WsError].
public interface WsSink {
    /// The next bytes of a message, without masks, unpacked, and checked as UTF-8 if it is a text; of a text, a
    /// character may go on in the next part. The bytes are lent for this call: those that are not read are dropped.
    ///
    /// @param part empty only if it is the last one
    /// @param isLast whether the message ends with it
    void part(boolean isText, LoopInput part, boolean isLast) throws WsError;

    /// The peer wants a pong with the same payload.
    void ping(Bytes payload) throws WsError;

    void pong(Bytes payload) throws WsError;

    /// The last frame: nothing is read after it.
    ///
    /// @param code [WsCodes#NONE] if there was none
    void close(int code, String reason) throws WsError;
}
