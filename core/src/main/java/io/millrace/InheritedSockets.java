package io.millrace;

import io.millrace.loop.Wording;
import io.millrace.os.Linux;
import io.millrace.transport.InheritedSocket;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// Listening sockets that a service manager opened before it started this process: socket activation, as in
/// sd_listen_fds(3). A server that is given them ([Listen#inherited]) takes those that are bound to its address, with
/// the epoll or the io_uring transport; when there are none, it listens by itself. Closing a server leaves the
/// manager's sockets, and the paths of Unix sockets, as they are.
///
/// They belong to the process, and stay open until it ends, so that a server may listen there again. Any thread.
public final class InheritedSockets {
    private static final InheritedSockets NONE = new InheritedSockets(List.of());

    /// The first of them, after standard input, output and error.
    private static final int FIRST = 3;

    private static final int MOST = 1024;
    private static final Pattern COUNT = Pattern.compile("[0-9]{1,4}");

    private final List<InheritedSocket> all;

    /// The addresses that were taken; guarded by this.
    private final Set<String> taken = new HashSet<>();

    private InheritedSockets(List<InheritedSocket> all) {
        this.all = all;
    }

    /// No sockets.
    public static InheritedSockets none() {
        return NONE;
    }

    static InheritedSockets of(Map<String, String> environment, long pid) throws IOException {
        return of(environment, pid, FIRST);
    }

    /// @param first the descriptor of the first socket
    static InheritedSockets of(Map<String, String> environment, long pid, int first) throws IOException {
        var count = environment.get("LISTEN_FDS");
        // Variables that were meant for another process stay in the environment of its children.
        if (count == null || !Long.toString(pid).equals(environment.get("LISTEN_PID"))) return NONE;
        if (!COUNT.matcher(count).matches() || Integer.parseInt(count) > MOST) {
            throw new IOException("LISTEN_FDS=" + count + " is not a number of sockets from 0 to " + MOST);
        }
        var reason = Linux.unsupportedReason();
        if (reason.isPresent()) throw new IOException("the service manager's sockets cannot be used: " + reason.get());
        var names = environment.getOrDefault("LISTEN_FDNAMES", "").split(":", -1);
        var all = new ArrayList<InheritedSocket>();
        for (int i = 0; i < Integer.parseInt(count); i++)
            all.add(InheritedSocket.at(first + i, i < names.length ? names[i] : ""));
        return new InheritedSockets(List.copyOf(all));
    }

    /// Whether there are any.
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /// Where the sockets of a name listen (`FileDescriptorName=` of systemd); empty when there are none.
    public Optional<SocketAddress> named(String name) {
        return all.stream().filter(one -> one.name().equals(name)).findFirst().map(InheritedSocket::address);
    }

    /// The sockets that no server has taken so far, as texts for people: nobody answers there.
    public synchronized List<String> untaken() throws IOException {
        var untaken = new ArrayList<String>();
        for (var one : all)
            if (!taken.contains(HandOverTalk.text(one.address())))
                untaken.add(Wording.of(one.address()) + (one.name().isEmpty() ? "" : " (" + one.name() + ")"));
        return untaken;
    }

    /// Duplicates of the sockets at an address; the caller owns them.
    synchronized List<Integer> take(SocketAddress at) throws IOException {
        var text = HandOverTalk.text(at);
        var duplicates = new ArrayList<Integer>();
        for (var one : all) if (HandOverTalk.text(one.address()).equals(text)) duplicates.add(one.duplicate());
        if (!duplicates.isEmpty()) taken.add(text);
        return duplicates;
    }
}
