package io.millrace;

import io.millrace.loop.DirectStyle;
import io.millrace.loop.EventLoop;
import io.millrace.loop.Greeting;
import io.millrace.loop.Wording;
import io.millrace.net.BlockingConnection;
import io.millrace.net.Connection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.Session;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.concurrent.CompletionStage;

/// TCP and Unix stream sockets, in both styles: [#listen] calls handlers back on the loop, [#serve] runs a
/// session of plain blocking code on a virtual thread for each connection.
///
/// ```java
/// Tcp.listen(7007, conn -> in -> conn.output().move(in)).await();
/// Tcp.serve (7007, conn -> { while (conn.read()) conn.output().move(conn.input()); });
/// ```
public final class Tcp {
    private Tcp() {}

    /// Serves in callback style on all addresses of this machine.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server listen(int port, HandlerFactory factory) {
        return listen(Listen.on(port), factory);
    }

    /// Serves in callback style; handlers run where [Listen#dispatch] says.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    /// @throws IllegalArgumentException     when the factory [HandlerFactory#needsLoop], and the dispatch is
    ///     another
    public static Server listen(Listen on, HandlerFactory factory) {
        if (factory.needsLoop() && !(on.dispatchOrLoop() instanceof Dispatch.OnLoop)) {
            throw new IllegalArgumentException("a tunnel writes to two connections and runs on their loops, not with "
                    + on.dispatchOrLoop() + ": leave Listen.dispatch out");
        }
        // No switch over types, for which the JDK would make classes at each start.
        return Server.start(on, (group, workers) -> {
            if (on.dispatchOrLoop() instanceof Dispatch.OnLoop) return Greeting.callback(factory);
            if (on.dispatchOrLoop() instanceof Dispatch.OnVirtual) return Greeting.virtual(factory, group.earnAfter());
            return Greeting.pooled(factory, workers.orElseThrow());
        });
    }

    /// Serves in direct style on all addresses of this machine.
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(int port, Session session) {
        return serve(Listen.on(port), session);
    }

    /// Serves in direct style: each session has a virtual thread. It begins on the JDK's scheduler, and the
    /// connection's loop carries it once the code has earned that ([EventLoops.Setup#earnAfter]).
    ///
    /// @throws java.io.UncheckedIOException when it cannot listen, with the address and the remedy
    public static Server serve(Listen on, Session session) {
        return Server.start(on, (group, _) -> Greeting.direct(session, group.earnAfter()));
    }

    /// Connects in callback style. The stage completes on the connection's loop, after the handler was made; a
    /// failure is a [io.millrace.net.NetException].
    public static CompletionStage<Connection> connect(Connect to, HandlerFactory factory) {
        var attempt = new ConnectAttempt<Connection>(connection -> {
            Greeting.callback(factory).accept(connection);
            return connection;
        });
        to.connector().connect(to.address(), attempt);
        return attempt.result();
    }

    /// Connects in callback style on the caller's loops.
    public static CompletionStage<Connection> connect(SocketAddress to, EventLoops loops, HandlerFactory factory) {
        return connect(Connect.to(to).loops(loops), factory);
    }

    /// Connects in direct style and waits until that is done. The connection belongs to the calling thread, or to
    /// the thread that it is passed to; an event loop does the input and output.
    ///
    /// @throws io.millrace.net.Refused  when nothing listens there
    /// @throws io.millrace.net.TimedOut when it took too long
    /// @throws IllegalStateException    on the thread of an event loop
    public static BlockingConnection connect(Connect to) throws IOException {
        var attempt = new ConnectAttempt<BlockingConnection>(Greeting::borrow);
        var connector = to.connector();
        EventLoop.checkMayWait("connecting in direct style", "connect with a handler");
        connector.connect(to.address(), attempt);
        var connection = attempt.await(connector.loop(), "a connection to " + Wording.of(to.address()));
        ((DirectStyle) connection).usedByCaller();
        return connection;
    }

    /// Connects in direct style, as [#connect(Connect)].
    public static BlockingConnection connect(SocketAddress to) throws IOException {
        return connect(Connect.to(to));
    }

    /// Connects in direct style, as [#connect(Connect)].
    public static BlockingConnection connect(String host, int port) throws IOException {
        return connect(Connect.to(host, port));
    }
}
