package io.millrace.codec;

/// The life of a connection in direct style, in messages: a [io.millrace.net.Session] with the same rules.
@FunctionalInterface
public interface MessageSession<M> {
    void run(BlockingMessages<M> peer) throws Exception;
}
