package io.millrace;

import io.millrace.HandOverTalk.ServerSockets;
import io.millrace.loop.CoreGuards;
import io.millrace.loop.LoopLog;
import io.millrace.transport.DescriptorSocket;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Waits at a path for the next process: the part of [HandOver] for the process that serves. It has a thread of its
/// own, which serves one process at a time.
final class Successors implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.handover");
    private static final Duration RETRY = Duration.ofSeconds(1);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(2);

    private final Path path;
    private final Offer offer;
    private final DescriptorSocket listener;

    /// The process that the thread talks to; guarded by this.
    private Optional<DescriptorSocket> guest = Optional.empty();

    /// Guarded by this, too.
    private boolean isClosed;

    private @Nullable Thread thread;

    /// What this process hands over; all methods are called by the thread here.
    interface Offer {
        /// Duplicates of its sockets, which the caller closes. From now on until [#keep] or [#leave], the other
        /// process has them, too.
        List<ServerSockets> share() throws IOException;

        /// The other process ended before it was ready.
        void keep();

        /// The other process, of this number, serves.
        void leave(long next);

        /// The talk is over; called once or more.
        void isLeft();
    }

    private Successors(Path path, Offer offer, DescriptorSocket listener) {
        this.path = path;
        this.offer = offer;
        this.listener = listener;
    }

    /// Prepares to wait at a path: no process can connect yet.
    ///
    /// @throws IOException when no socket can be made there
    static Successors at(Path path, Offer offer) throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isSpecial(path)) {
            throw new IOException(path + " exists and is not a socket: take another path for the hand-over");
        }
        var own = path.resolveSibling(
                path.getFileName() + "." + ProcessHandle.current().pid());
        // Left by a crashed process that had the same process id.
        Files.deleteIfExists(own);
        return new Successors(path, offer, DescriptorSocket.listen(own));
    }

    /// Neither file, directory nor link: a socket.
    private static boolean isSpecial(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther();
    }

    /// Takes the path, even from another process, and waits.
    synchronized void begin() throws IOException {
        listener.moveTo(path);
        thread = Thread.ofPlatform().name("millrace-hand-over").daemon().start(this::live);
    }

    private void live() {
        try (listener) {
            while (!isClosed()) {
                var next = next();
                if (next.isPresent() && serve(next.get())) return;
            }
        }
    }

    private Optional<DescriptorSocket> next() {
        try {
            return listener.accept();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "no process can take over for a moment: {0}", e.getMessage());
            pause();
            return Optional.empty();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// @return whether it has taken over
    private boolean serve(DescriptorSocket next) {
        try (next) {
            if (!welcome(next)) return false;
            return isGreeted(next) && give(next);
        } catch (SocketTimeoutException e) {
            CoreGuards.HAND_OVER_TIMEOUT.acted(path.toString(), e.getMessage() + ": this process goes on serving");
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.WARNING, "a process did not take over, and this one goes on serving", e);
        } finally {
            dismiss();
        }
        return false;
    }

    private synchronized boolean welcome(DescriptorSocket next) {
        if (!isClosed) guest = Optional.of(next);
        return !isClosed;
    }

    private synchronized void dismiss() {
        guest = Optional.empty();
    }

    private boolean isGreeted(DescriptorSocket next) throws IOException {
        next.patience(HandOverTalk.PATIENCE);
        if (!next.isOwnUser()) {
            CoreGuards.HAND_OVER_PEER.acted(path.toString(), "process " + next.pid() + " is another user's");
            return false;
        }
        var greeting = next.receive();
        if (greeting.isEmpty()) return false;
        DescriptorSocket.closeAll(greeting.get().descriptors());
        var text = greeting.get().text();
        if (text.equals(HandOverTalk.GREETING)) return true;
        CoreGuards.HAND_OVER_PEER.acted(
                path.toString(), "process " + next.pid() + " says '" + HandOverTalk.shown(text) + "'");
        next.send(HandOverTalk.refusal(text), List.of());
        return false;
    }

    private boolean give(DescriptorSocket next) throws IOException {
        boolean isReady = false;
        try {
            sendSockets(next);
            isReady = isReady(next);
        } finally {
            // If this process is closing, the sockets stay with the next one all the same.
            if (!isReady && !isClosed()) offer.keep();
        }
        if (!isReady) {
            if (isClosed()) return false;
            LOG.log(
                    Level.WARNING,
                    "process {0} ended before it was ready to take over, and this one goes on serving",
                    Integer.toString(next.pid()));
            return false;
        }
        offer.leave(next.pid());
        sayGoodbye(next);
        return true;
    }

    private static boolean isReady(DescriptorSocket next) throws IOException {
        next.patience(HandOverTalk.START_PATIENCE);
        try {
            var answer = next.receive();
            answer.ifPresent(message -> DescriptorSocket.closeAll(message.descriptors()));
            return answer.filter(message -> message.text().equals(HandOverTalk.READY))
                    .isPresent();
        } catch (SocketTimeoutException e) {
            next.send(HandOverTalk.tooLate(), List.of());
            throw e;
        }
    }

    private void sendSockets(DescriptorSocket next) throws IOException {
        var all = offer.share();
        try {
            next.send(HandOverTalk.greeting(all.size()), List.of());
            for (var sockets : all) next.send(sockets.text(), sockets.descriptors());
        } finally {
            for (var sockets : all) DescriptorSocket.closeAll(sockets.descriptors());
        }
    }

    /// The next process has taken over, whatever happens to it now.
    private void sayGoodbye(DescriptorSocket next) {
        try {
            LOG.log(Level.INFO, "process {0} has taken over", Integer.toString(next.pid()));
            next.patience(HandOverTalk.PATIENCE);
            next.send(HandOverTalk.LEFT, List.of());
            offer.isLeft();
            // Waits until it has the path: a process that connects meanwhile is sent there.
            next.receive();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the next process did not say goodbye", e);
        } finally {
            offer.isLeft();
        }
    }

    private synchronized boolean isClosed() {
        return isClosed;
    }

    /// Stops waiting. A process that is being served ends without a hand-over.
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            isClosed = true;
            running = thread;
            listener.wake();
            guest.ifPresent(DescriptorSocket::wake);
        }
        if (running == null) listener.close();
        else if (!running.equals(Thread.currentThread())) join(running);
    }

    private static void join(Thread running) {
        try {
            running.join(CLOSE_PATIENCE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
