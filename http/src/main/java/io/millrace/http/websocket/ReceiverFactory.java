package io.millrace.http.websocket;

/// Makes the receiver of a socket that opens. On the loop.
@FunctionalInterface
interface ReceiverFactory {
    Receiver open(SocketEnd end);
}
