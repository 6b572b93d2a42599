package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.transport.Host.Event;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// What transports do whose listeners are descriptors, which processes pass to each other.
@Tag("kernel")
abstract class LinuxTransportContract extends KernelTransportContract {
    private static ListenerDescriptors descriptors(Host host) {
        return host.transport.descriptors().orElseThrow();
    }

    /// Another transport listens on what `server` does, as that of another process would.
    private int inherit(Host next, int listener) throws IOException {
        return descriptors(next).listen(descriptors(server).share(listener), LISTEN);
    }

    @Test
    void a_shared_listener_is_bound_where_the_first_one_is() throws IOException {
        int listener = listen();
        var next = newHost();
        assertEquals(server.local(listener), next.local(inherit(next, listener)));
    }

    @Test
    void who_waits_at_a_listener_that_is_left_is_accepted_by_the_next_one() throws IOException {
        int listener = server.transport.listen(anyAddress(), LISTEN);
        int socket = client.connect(server.local(listener), SocketOptions.NONE);
        until(() -> client.side(socket).saw(Event.CONNECTED));
        var next = newHost();
        int inherited = inherit(next, listener);
        descriptors(server).leave(listener);
        until(() -> server.side(listener).saw(Event.ENDED));
        server.transport.close(listener);
        next.transport.receive(inherited, true);
        until(() -> !next.accepted.isEmpty());
        assertTrue(server.accepted.isEmpty());
        next.accepted.remove().discard();
    }

    @Test
    void a_shared_listener_keeps_its_file_when_it_closes_and_the_last_one_removes_it() throws IOException {
        var path = directory.resolve("socket");
        int listener = server.transport.listen(UnixDomainSocketAddress.of(path), LISTEN);
        var next = newHost();
        int inherited = inherit(next, listener);
        server.transport.close(listener);
        assertTrue(Files.exists(path));
        descriptors(next).unshare(inherited);
        next.transport.close(inherited);
        assertFalse(Files.exists(path));
    }

    @Test
    void a_connection_cannot_be_shared() throws IOException {
        var pair = connect();
        assertThrows(IllegalArgumentException.class, () -> descriptors(server).share(pair.server()));
    }
}
