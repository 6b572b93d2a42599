package io.millrace.transport;

import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.F_SETFL;
import static io.millrace.os.Constants.SHUT_RDWR;
import static io.millrace.os.Constants.SOCK_SEQPACKET;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.os.DescriptorMessage;
import io.millrace.os.Errno;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A Unix socket that preserves messages (`SOCK_SEQPACKET`, unix(7)) and passes descriptors. It blocks; one
/// thread at a time uses it, only [#wake] may be called by any.
public final class DescriptorSocket implements AutoCloseable {
    private static final int BACKLOG = 16;
    private static final int CLOSED = -1;

    private final Linux linux = new Linux();
    private final SockAddr address = new SockAddr();
    private final DescriptorMessage message = new DescriptorMessage();

    /// Guarded by this for changes.
    private int fd;

    /// The path of a listening socket.
    private @Nullable UnixPath path;

    /// A received message; the receiver closes the descriptors.
    public record Message(String text, List<Integer> descriptors) {}

    private DescriptorSocket(int fd) {
        this.fd = fd;
        // Makes it blocking: sockets are opened non-blocking.
        linux.fcntl(fd, F_SETFL, 0);
    }

    private static DescriptorSocket open() throws IOException {
        var reason = Linux.unsupportedReason();
        if (reason.isPresent()) throw new IOException("descriptors cannot be passed on here: " + reason.get());
        int fd = new Linux().socket(AF_UNIX, SOCK_SEQPACKET);
        return new DescriptorSocket(LinuxSockets.checked(fd, "cannot open a Unix socket"));
    }

    /// Connects to the process that listens at a path; empty when there is none.
    ///
    /// @param patience for this call and each later one
    public static Optional<DescriptorSocket> connect(Path path, Duration patience) throws IOException {
        var socket = open();
        try {
            socket.patience(patience);
            socket.address.set(UnixDomainSocketAddress.of(path));
            int result = socket.linux.connect(socket.fd, socket.address);
            if (result == 0) return Optional.of(socket);
            socket.close();
            if (result == -Errno.ENOENT || result == -Errno.ECONNREFUSED) return Optional.empty();
            throw new IOException("cannot connect to " + path + ": " + Errno.message(-result));
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /// Listens at an unused path, which only this user can connect to.
    public static DescriptorSocket listen(Path path) throws IOException {
        var socket = open();
        try {
            var at = UnixDomainSocketAddress.of(path);
            socket.address.set(at);
            LinuxSockets.bound(socket.linux.bind(socket.fd, socket.address), at);
            socket.path = UnixPath.boundTo(at);
            // No process can connect before it listens.
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            LinuxSockets.bound(socket.linux.listen(socket.fd, BACKLOG), at);
            return socket;
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /// Moves a listening socket to another path atomically, replacing what is there.
    public void moveTo(Path target) throws IOException {
        var before = path;
        if (before == null) throw new IllegalStateException("it does not listen");
        Files.move(before.path(), target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        path = new UnixPath(target, before.file());
    }

    /// Waits for the next connection.
    ///
    /// @return empty when [#wake] was called
    public Optional<DescriptorSocket> accept() throws IOException {
        int result = linux.accept4(fd, address);
        if (result == -Errno.EINVAL) return Optional.empty();
        return Optional.of(new DescriptorSocket(LinuxSockets.checked(result, "cannot accept")));
    }

    /// How long each call may take from now on.
    public void patience(Duration limit) throws IOException {
        LinuxSockets.checked(linux.setTimeouts(fd, limit.toNanos() / 1000), "cannot limit a wait");
    }

    /// Whether a process of this user is at the other end.
    public boolean isOwnUser() throws IOException {
        return peer()[1] == linux.geteuid();
    }

    /// The process at the other end.
    public int pid() throws IOException {
        return peer()[0];
    }

    private int[] peer() throws IOException {
        var pidUidGid = new int[3];
        LinuxSockets.checked(linux.getPeer(fd, pidUidGid), "cannot find out which process connected");
        return pidUidGid;
    }

    /// Sends a text and copies of descriptors with it, at most 253.
    ///
    /// @throws IOException when the other side is gone, or does not take it
    public void send(String text, List<Integer> descriptors) throws IOException {
        message.fill(text.getBytes(UTF_8), descriptors);
        int result = linux.sendmsg(fd, message);
        if (result == -Errno.EAGAIN)
            throw new SocketTimeoutException("the other side did not take '" + text + "' in " + "time");
        LinuxSockets.checked(result, "cannot send '" + text + "'");
    }

    /// Waits for the next message.
    ///
    /// @return empty at the end of the stream
    /// @throws SocketTimeoutException when it takes too long
    public Optional<Message> receive() throws IOException {
        int count = linux.recvmsg(fd, message);
        // The other side is gone and has not read everything; its last message comes after this error.
        if (count == -Errno.ECONNRESET) count = linux.recvmsg(fd, message);
        var descriptors = message.descriptors();
        if (count > 0 && !message.isCut()) {
            return Optional.of(new Message(new String(message.content(), UTF_8), descriptors));
        }
        closeAll(descriptors);
        if (count > 0) throw new IOException("a message arrived incomplete");
        if (count == -Errno.EAGAIN) throw new SocketTimeoutException("no message came in time");
        LinuxSockets.checked(count, "cannot receive");
        return Optional.empty();
    }

    /// Where a socket is bound. Any thread.
    public static SocketAddress addressOf(int descriptor) throws IOException {
        var name = new SockAddr();
        LinuxSockets.checked(new Linux().getsockname(descriptor, name), "cannot ask where a socket is bound");
        return name.get();
    }

    /// Closes descriptors. Any thread.
    public static void closeAll(List<Integer> descriptors) {
        if (descriptors.isEmpty()) return;
        var linux = new Linux();
        descriptors.forEach(linux::close);
    }

    /// Ends its thread's current wait, and every later one. Any thread.
    public synchronized void wake() {
        if (fd != CLOSED) new Linux().shutdown(fd, SHUT_RDWR);
    }

    @Override
    public synchronized void close() {
        if (fd == CLOSED) return;
        if (path != null) path.unlink();
        linux.close(fd);
        fd = CLOSED;
    }
}
