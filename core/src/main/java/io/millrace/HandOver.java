package io.millrace;

import io.millrace.HandOverTalk.ServerSockets;
import io.millrace.loop.LoopLog;
import io.millrace.loop.Wording;
import io.millrace.transport.DescriptorSocket;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Hot restart: a new process takes over the listening sockets of the one that serves, so that no connection is
/// refused or lost in between. Both name the same path, at which the serving process waits for the next one. Linux,
/// with the epoll or the io_uring transport.
///
/// ```java
/// try (var signals = Signals.catchTermination();
///         var handOver = HandOver.at(Path.of("/run/app/hand-over.sock"));
///         var server = Http.serve(Listen.on(8080).handOver(handOver), app)) {
///     handOver.ready(signals::raise);
///     signals.await();
///     server.drain(Duration.ofSeconds(30));
/// }
/// ```
/// Servers that use it accept no connections before [#ready]. Until then the old process goes on serving, and
/// nothing changes if this one fails. From then on the old process accepts no connections; with the next response
/// it tells its peers to reconnect, where the protocol can say so (`Connection: close`), and its program is told to
/// drain its servers. Only a process of the same user may take over.
///
/// ```
///  STARTING ──ready()──► SERVING ──the next process connects──► SHARED ──it is ready──► LEFT
///                           ▲                                     │
///                           └───────── it ends before that ───────┘
/// ```
/// Any thread may call its methods.
public final class HandOver implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.handover");

    enum Phase {
        STARTING,
        SERVING,
        SHARED,
        LEFT
    }

    private final Path path;
    private final Optional<Predecessor> predecessor;

    // Guarded by this.
    private final List<Server> servers = new ArrayList<>();
    private Phase phase = Phase.STARTING;
    private @Nullable Successors successors;
    private Runnable whenLeft = () -> {};
    private OptionalLong successor = OptionalLong.empty();

    private HandOver(Path path, Optional<Predecessor> predecessor) {
        this.path = path;
        this.predecessor = predecessor;
    }

    /// Takes over from the process that waits at `path`; if there is none, servers that use the result listen as
    /// usual. Waits at most a few seconds.
    ///
    /// @param path a Unix socket, in a directory that no other user can write to
    /// @throws IOException when the process there does not hand over and goes on serving, with the reason and the
    ///     remedy
    public static HandOver at(Path path) throws IOException {
        var absolute = path.toAbsolutePath();
        var predecessor = Predecessor.at(absolute);
        if (predecessor.isPresent()) {
            LOG.log(
                    Level.INFO,
                    "process {0} asks process {1} for its sockets, to take over",
                    Long.toString(ProcessHandle.current().pid()),
                    Long.toString(predecessor.get().pid()));
        }
        return new HandOver(absolute, predecessor);
    }

    /// Ends the start, when all servers listen: the old process stops accepting, these servers begin to, and this
    /// process waits at the path. Sockets that no server of this process took over close with the old process.
    ///
    /// @param whenLeft called once, on a thread of its own, when another process has taken over from this one: the
    ///     moment to drain the servers. [Signals.Termination#raise] is made for it
    /// @throws IOException when the old process goes on serving, or no socket can be made at the path
    public void ready(Runnable whenLeft) throws IOException {
        var next = Successors.at(path, new Offered());
        synchronized (this) {
            if (phase != Phase.STARTING) throw new IllegalStateException("it is ready already");
            this.whenLeft = whenLeft;
            successors = next;
        }
        if (predecessor.isPresent()) predecessor.get().leave();
        var all = become(Phase.SERVING);
        all.forEach(Server::unshare);
        all.forEach(Server::accept);
        if (predecessor.isPresent()) tellItServes(predecessor.get().pid());
        try {
            next.begin();
        } catch (IOException e) {
            // The old process has left: serving without a hand-over is better than not serving.
            if (predecessor.isEmpty()) throw e;
            LOG.log(Level.WARNING, "serves, but no process can take over from it", e);
        }
        predecessor.ifPresent(Predecessor::close);
    }

    /// The log of both processes may be one.
    private static void tellItServes(long before) {
        LOG.log(
                Level.INFO,
                "process {0} serves, in place of process {1}, which ends when its connections have",
                Long.toString(ProcessHandle.current().pid()),
                Long.toString(before));
    }

    /// The process that this one has taken over from.
    public OptionalLong predecessor() {
        return predecessor.isPresent() ? OptionalLong.of(predecessor.get().pid()) : OptionalLong.empty();
    }

    /// The process that has taken over from this one; there is one when [#ready]'s task is called.
    public synchronized OptionalLong successor() {
        return successor;
    }

    // For servers.

    /// The sockets of the old process's server at an address, which the caller owns now; without descriptors when
    /// it has none there.
    synchronized ServerSockets take(SocketAddress at) throws IOException {
        if (phase != Phase.STARTING || predecessor.isEmpty()) return ServerSockets.NONE;
        return predecessor.get().take(at);
    }

    /// Adds a server that listens; it begins to accept now or with [#ready].
    ///
    /// @throws IOException while another process is about to take over, because that would not learn of the server
    void add(Server server) throws IOException {
        synchronized (this) {
            if (phase == Phase.SHARED || phase == Phase.LEFT) {
                throw new IOException(
                        "another process is taking over, and has to listen on " + Wording.of(server.address()));
            }
            servers.add(server);
            if (phase == Phase.STARTING) return;
        }
        server.accept();
    }

    /// Removes a server that no longer listens.
    synchronized void remove(Server server) {
        servers.remove(server);
    }

    /// Stops waiting for another process, and removes the path unless the next process uses it. Before [#ready],
    /// the old process goes on serving.
    @Override
    public void close() {
        Successors waiting;
        synchronized (this) {
            waiting = successors;
        }
        if (waiting != null) waiting.close();
        predecessor.ifPresent(Predecessor::close);
    }

    private synchronized List<Server> become(Phase next) {
        phase = next;
        return List.copyOf(servers);
    }

    /// For the next process, called by the thread that talks to it.
    private final class Offered implements Successors.Offer {
        @Override
        public List<ServerSockets> share() throws IOException {
            var all = become(Phase.SHARED);
            var shared = new ArrayList<ServerSockets>();
            try {
                for (int i = 0; i < all.size(); i++) share(i, all.get(i), shared);
                return shared;
            } catch (IOException | RuntimeException e) {
                for (var one : shared) DescriptorSocket.closeAll(one.descriptors());
                throw e;
            }
        }

        private static void share(int number, Server server, List<ServerSockets> to) throws IOException {
            var asked = HandOverTalk.text(server.asked());
            var descriptors = server.share();
            for (int from = 0; from < descriptors.size(); from += HandOverTalk.MOST_DESCRIPTORS) {
                int end = Math.min(from + HandOverTalk.MOST_DESCRIPTORS, descriptors.size());
                to.add(new ServerSockets(number, asked, descriptors.subList(from, end), server.isManaged()));
            }
        }

        @Override
        public void keep() {
            become(Phase.SERVING).forEach(Server::unshare);
        }

        @Override
        public void leave(long next) {
            synchronized (HandOver.this) {
                successor = OptionalLong.of(next);
            }
            become(Phase.LEFT).forEach(Server::leave);
        }

        @Override
        public void isLeft() {
            Runnable task;
            synchronized (HandOver.this) {
                task = whenLeft;
                whenLeft = () -> {};
            }
            task.run();
        }
    }
}
