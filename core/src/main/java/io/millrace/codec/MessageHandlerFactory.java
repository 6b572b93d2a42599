package io.millrace.codec;

/// Makes the handler of a new connection; called once for each, on the connection's loop.
@FunctionalInterface
public interface MessageHandlerFactory<M> {
    MessageHandler<M> open(Messages<M> peer);
}
