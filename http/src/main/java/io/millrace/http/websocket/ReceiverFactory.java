package io.millrace.http.websocket;

import io.millrace.loop.StreamCalls;

/// Makes the receiver of a socket that opens. On the loop.
@FunctionalInterface
interface ReceiverFactory {
    Receiver open(SocketEnd end, StreamCalls calls);
}
