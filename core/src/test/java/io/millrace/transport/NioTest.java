package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.memory.SlabPool;
import io.millrace.transport.Host.Event;
import io.millrace.transport.Transport.ListenOptions;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NioTest extends KernelTransportContract {
    @Override
    Transport open(SlabPool pool) throws IOException {
        return new Nio(pool);
    }

    @Test
    void what_arrived_before_a_reset_is_delivered_although_a_send_meets_the_reset_first() throws IOException {
        var pair = connect();
        client.send(pair.client(), client.chain(bytes(100)));
        client.transport.abort(pair.client());
        client.poll(0);
        server.transport.receive(pair.server(), true);
        assertFalse(server.send(pair.server(), server.chain(bytes(100))));
        until(() -> server.side(pair.server()).saw(Event.FAILED));
        assertEquals(List.of(Event.RECEIVED, Event.FAILED), server.side(pair.server()).events);
        assertEquals(100, server.received(pair.server()).length);
    }

    @Test
    void an_interrupted_thread_still_waits() {
        Thread.currentThread().interrupt();
        server.poll(1_000_000);
        assertFalse(Thread.currentThread().isInterrupted());
    }

    @Test
    void a_wildcard_for_ipv6_alone_is_refused_with_the_remedy() {
        var options = new ListenOptions(16, false, true, SocketOptions.NONE);
        var at = new InetSocketAddress(InetAddress.ofLiteral("::"), 0);
        var thrown = assertThrows(UnsupportedOperationException.class, () -> server.transport.listen(at, options));
        assertMentions(thrown.getMessage(), "[0:0:0:0:0:0:0:0]:0");
        assertMentions(thrown.getMessage(), "epoll");
    }

    @Test
    void a_value_of_the_wrong_type_is_named() throws IOException {
        var pair = connect();
        var options = new SocketOptions(Map.of(StandardSocketOptions.SO_SNDBUF, "large"));
        var thrown = assertThrows(
                IllegalArgumentException.class, () -> client.connect(server.local(pair.server()), options));
        assertMentions(thrown.getMessage(), "SO_SNDBUF");
        assertMentions(thrown.getMessage(), "large");
    }
}
