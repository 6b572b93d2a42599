package io.millrace;

import io.millrace.HandOverTalk.ServerSockets;
import io.millrace.loop.LoopLog;
import io.millrace.transport.DescriptorSocket;
import io.millrace.transport.DescriptorSocket.Message;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The process before this one, and the sockets it has passed on: the part of [HandOver] for the process that takes
/// over. One thread at a time.
final class Predecessor implements AutoCloseable {
    private static final System.Logger LOG = LoopLog.of("io.millrace.handover");

    /// Another process may take over at the same moment; then that one is asked.
    private static final int TRIES = 3;

    private final DescriptorSocket socket;
    private final long pid;

    /// Those that no server has taken.
    private final List<ServerSockets> passed = new ArrayList<>();

    private Predecessor(DescriptorSocket socket, long pid) {
        this.socket = socket;
        this.pid = pid;
    }

    /// Takes over from the process at `path`, if there is one.
    ///
    /// @throws IOException when there is one, and it does not work
    static Optional<Predecessor> at(Path path) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            var socket = DescriptorSocket.connect(path, HandOverTalk.PATIENCE);
            if (socket.isEmpty()) return Optional.empty();
            var predecessor = of(socket.get());
            try {
                var answer = predecessor.greet(path);
                if (answer.isPresent()) {
                    predecessor.receive(HandOverTalk.messages(answer.get()));
                    return Optional.of(predecessor);
                }
            } catch (IOException | RuntimeException e) {
                predecessor.close();
                throw e;
            }
            // It has just left.
            predecessor.close();
        }
        throw new IOException("other processes are taking over at " + path
                + " at the same time: check which one serves, and try " + "again");
    }

    private static Predecessor of(DescriptorSocket socket) throws IOException {
        try {
            return new Predecessor(socket, socket.pid());
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private Optional<Message> greet(Path path) throws IOException {
        if (!socket.isOwnUser()) {
            throw new IOException("process " + pid + " at " + path
                    + " is another user's: start this one as that user, or take another path");
        }
        socket.send(HandOverTalk.GREETING, List.of());
        return word();
    }

    /// A message without descriptors.
    private Optional<Message> word() throws IOException {
        var message = socket.receive();
        message.ifPresent(one -> DescriptorSocket.closeAll(one.descriptors()));
        return message;
    }

    private void receive(int messages) throws IOException {
        for (int i = 0; i < messages; i++) {
            var message = socket.receive();
            if (message.isEmpty())
                throw new IOException("the process that serves ended in the middle of the hand-over");
            try {
                passed.add(ServerSockets.of(message.get()));
            } catch (IOException e) {
                DescriptorSocket.closeAll(message.get().descriptors());
                throw e;
            }
        }
    }

    long pid() {
        return pid;
    }

    /// The sockets of the first server at an address, the requested or the actual one; they are returned once. The
    /// caller owns them.
    ServerSockets take(SocketAddress at) throws IOException {
        var text = HandOverTalk.text(at);
        for (var first : passed) {
            if (!first.asked().equals(text) && !text.equals(bound(first))) continue;
            var all = new ArrayList<Integer>();
            passed.removeIf(one -> one.server() == first.server() && all.addAll(one.descriptors()));
            return new ServerSockets(first.server(), first.asked(), all, first.isManaged());
        }
        return ServerSockets.NONE;
    }

    private static String bound(ServerSockets sockets) throws IOException {
        if (sockets.descriptors().isEmpty()) return "";
        return HandOverTalk.text(
                DescriptorSocket.addressOf(sockets.descriptors().getFirst()));
    }

    /// Lets it leave, now that this process is ready, and waits until it has. It may have ended already; if it says
    /// nothing it may have left, so this process serves unless it is refused.
    ///
    /// @throws IOException when it goes on serving
    void leave() throws IOException {
        tell();
        Optional<Message> answer;
        try {
            answer = word();
        } catch (SocketTimeoutException _) {
            LOG.log(
                    Level.WARNING,
                    "the process before this one did not say that it stopped accepting: check whether "
                            + "it still runs");
            return;
        }
        if (answer.isPresent()) HandOverTalk.checkLeft(answer.get());
        else LOG.log(Level.WARNING, "the process before this one ended before the hand-over was complete");
    }

    /// To a process that may be gone; its last message is still to be read.
    private void tell() {
        try {
            socket.send(HandOverTalk.READY, List.of());
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the process before this one does not listen", e);
        }
    }

    /// Closes the sockets that no server has taken.
    @Override
    public void close() {
        for (var one : passed) DescriptorSocket.closeAll(one.descriptors());
        passed.clear();
        socket.close();
    }
}
