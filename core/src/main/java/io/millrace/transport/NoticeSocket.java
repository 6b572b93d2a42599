package io.millrace.transport;

import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.F_SETFL;
import static io.millrace.os.Constants.SOCK_DGRAM;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.os.DescriptorMessage;
import io.millrace.os.Linux;
import io.millrace.os.SockAddr;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.time.Duration;
import java.util.List;

/// Where another process hears short texts: a Unix socket of datagrams (`SOCK_DGRAM`, unix(7)). Any thread.
///
/// Each text goes through a socket of its own, so that a receiver which was restarted hears the next one.
public final class NoticeSocket {
    /// For a receiver whose queue is full.
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final String name;

    /// @param name an absolute path, or `@` and an abstract name
    public NoticeSocket(String name) {
        this.name = name;
    }

    /// Sends a text of at most 4096 bytes; waits for at most two seconds.
    ///
    /// @throws IOException when no process hears it, or none takes it in time
    public void send(String text) throws IOException {
        var reason = Linux.unsupportedReason();
        if (reason.isPresent()) throw new IOException("Unix datagrams cannot be sent here: " + reason.get());
        var address = new SockAddr();
        if (name.startsWith("@")) address.setAbstract(name.substring(1));
        else address.set(UnixDomainSocketAddress.of(name));
        var message = new DescriptorMessage();
        message.fill(text.getBytes(UTF_8), List.of());
        var linux = new Linux();
        int fd = LinuxSockets.checked(linux.socket(AF_UNIX, SOCK_DGRAM), "cannot open a Unix socket");
        try {
            // Makes it blocking, for a bounded time.
            linux.fcntl(fd, F_SETFL, 0);
            LinuxSockets.checked(linux.setTimeouts(fd, PATIENCE.toNanos() / 1000), "cannot limit a wait");
            LinuxSockets.checked(linux.connect(fd, address), "cannot reach " + name);
            LinuxSockets.checked(linux.sendmsg(fd, message), "cannot send to " + name);
        } finally {
            linux.close(fd);
        }
    }
}
