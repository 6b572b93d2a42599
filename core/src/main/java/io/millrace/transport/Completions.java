package io.millrace.transport;

import io.millrace.memory.Slab;

/// Results of operations, delivered by [Transport#poll] on the loop's thread. A receiver may submit anything,
/// and may close the socket that it is told about.
public interface Completions {
    /// A wait is over and deliveries follow. Called in every poll, whenever time may have passed.
    void awake();

    /// A listener has a new connection, which must be adopted or discarded.
    void accepted(int listener, Transport.Accepted accepted);

    void connected(int socket);

    /// Bytes arrived: a slab of at least one byte, whose owner was the kernel and is the receiver now.
    void received(int socket, Slab slab);

    /// The kernel took `count` bytes of the current send; `done` when nothing of it is left.
    void sent(int socket, long count, boolean done);

    /// The peer has ended: nothing more will be received. For a listener that was left: nothing more will be
    /// accepted.
    void ended(int socket);

    /// The socket has failed, and can only be closed; on a listener, accepting failed and should be tried again
    /// later.
    void failed(int socket, Failure kind, String detail);

    /// Receiving stopped because the loop is at its memory limit; it is off until turned on again.
    void starved(int socket);
}
