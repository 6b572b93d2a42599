package io.millrace.loop;

import io.millrace.bytes.Input;
import io.millrace.memory.Chain;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SharedChain;
import io.millrace.net.Handler;
import java.time.Duration;

/// What a tunnel connects: a connection, or one stream of a connection. On its loop, except [#loop] and [#abort].
///
/// A [TunnelSide] stands at each end, and is told what happens there.
public interface TunnelEnd {
    /// Any thread.
    EventLoop loop();

    /// The connection that it is, or that carries it. Any thread.
    TcpConnection connection();

    /// It stops [#isFull] less often: its peer may take nothing for a while, and what it sends is still received.
    default void readOn() {}

    /// This handler is told from now on what arrives, that there is room, and how it ends; at once if it has ended
    /// already. Nothing is passed on before [#resume].
    void carry(Handler side);

    /// Sends what is in there, of the same loop.
    void move(Input in);

    /// Sends a chain, which belongs to it from now on.
    void append(Chain chain);

    /// A place for what is sent next; [#wrote] follows before anything else is done here, also after a failure. By
    /// the loop's own thread ([EventLoop#isCallers]).
    LoopOutput writing();

    /// Sends what was written to [#writing].
    void wrote();
    /// Sends what many connections get, and not only at the end of the turn. By the loop's thread, not one that it
    /// carries.
    ///
    /// @return false if something else comes first, or it cannot do that
    default boolean sendAtOnce(SharedChain frames) {
        return false;
    }

    void resume();

    /// Stops receiving.
    void pause();

    /// Whether no more should be sent for now; when there is room again, the handler is told.
    boolean isFull();

    /// What the peer has taken so far of what was sent here, or of what is in front of it: it has taken more when this
    /// has changed.
    long takenBytes();

    /// Runs a task when all that was sent here so far has been passed to the kernel; never, if it closes before.
    void whenSent(Runnable task);

    /// Sends nothing more, behind what was sent.
    void end();

    /// Ends in order, when all was sent; what still arrives is dropped.
    void close();

    /// Ends now, as an error. Any thread.
    void abort();

    /// Aborts it when nothing has moved for so long; zero for never.
    void idleTimeout(Duration limit);

    /// Bytes that have arrived there in total.
    long receivedBytes();
}
