package io.millrace.transport;

import io.millrace.memory.Slab;

/// Results of operations, delivered by [Transport#poll] on the loop's thread. A receiver may submit anything,
/// also close the socket it is told about.
public interface Completions {
    /// A wait is over and deliveries follow. Called in every poll, whenever time may have passed.
    void awake();

    /// A listener has a new connection, which somebody must adopt or discard.
    void accepted(int listener, Transport.Accepted accepted);

    void connected(int socket);

    /// Bytes arrived: a slab of at least one byte, whose owner was the kernel and is the receiver now.
    void received(int socket, Slab slab);

    /// So many bytes of the send under way have gone; `done` when nothing of it is left.
    void sent(int socket, long count, boolean done);

    /// The peer has ended: nothing more will be received. On a listener, it has been left: nothing more will be
    /// accepted.
    void ended(int socket);

    /// The socket is of no use any more, but for `close`; on a listener, accepting failed and is to be tried
    /// again later.
    void failed(int socket, Failure kind, String detail);

    /// Receiving stopped because the loop is at its cap of memory; it is off until turned on again.
    void starved(int socket);
}
