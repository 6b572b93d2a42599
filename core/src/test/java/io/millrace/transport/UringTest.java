package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.transport.Host.Event;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// In one thread, because a ring belongs to the thread that set it up.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SAME_THREAD)
class UringTest extends LinuxTransportContract {
    /// More than the ring of submissions takes.
    private static final int MANY = 1500;

    @BeforeAll
    static void works() {
        var why = Uring.unavailableBecause();
        Assumptions.assumeTrue(why.isEmpty(), () -> why.orElse(""));
    }

    @Override
    Transport open(SlabPool pool) throws IOException {
        return new Uring(pool);
    }

    @Override
    boolean sendsAtOnce() {
        return false;
    }

    @Test
    void slabs_belong_to_the_kernel_until_the_send_is_complete() throws IOException {
        var pair = connect();
        var chain = client.chain(bytes(64));
        var slab = chain.head();
        assert slab != null;
        client.send(pair.client(), chain);
        assertEquals(Slab.Owner.KERNEL, slab.owner());
        client.transport.abort(pair.client());
        assertEquals(Slab.Owner.KERNEL, slab.owner());
        until(() -> client.pool.missing() == 0);
        assertEquals(Slab.Owner.POOL, slab.owner());
    }

    @Test
    void slabs_that_wait_for_what_arrives_are_not_in_use_and_go_home_with_the_last_receiver() throws IOException {
        var pair = connect();
        server.transport.receive(pair.server(), true);
        server.poll(0);
        assertTrue(server.pool.missing() > 0);
        assertEquals(0, server.pool.bytesOut());
        server.transport.close(pair.server());
        until(() -> server.pool.missing() == 0);
    }

    @Test
    void more_submissions_than_the_ring_takes_are_handed_over_in_between() throws IOException {
        var pair = connect();
        var nobody = refusingAddress();
        for (int i = 0; i < MANY; i++) {
            int socket = client.connect(nobody, SocketOptions.NONE);
            client.transport.close(socket);
        }
        client.write(pair.client(), bytes(100));
        server.transport.receive(pair.server(), true);
        until(() -> server.received(pair.server()).length == 100);
    }

    @Test
    void more_gathered_sends_than_there_is_room_for_are_handed_over_in_between() throws IOException {
        int listener = listen();
        var pairs = new ArrayList<Pair>();
        for (int i = 0; i < 200; i++) pairs.add(connectTo(listener));
        var sent = bytes(300);
        for (var pair : pairs) client.send(pair.client(), client.chainOfPieces(sent, 100));
        for (var pair : pairs) server.transport.receive(pair.server(), true);
        until(() -> pairs.stream().allMatch(pair -> server.received(pair.server()).length == sent.length));
        for (var pair : pairs) assertArrayEquals(sent, server.received(pair.server()));
    }

    @Test
    void more_arrivals_than_there_are_slabs_wait_in_the_kernel() throws IOException {
        int listener = listen();
        var pairs = new ArrayList<Pair>();
        for (int i = 0; i < 300; i++) pairs.add(connectTo(listener));
        for (var pair : pairs) server.transport.receive(pair.server(), true);
        quiet();
        for (int round = 1; round <= 3; round++) {
            int expected = round * 500;
            for (var pair : pairs) client.write(pair.client(), bytes(500));
            until(() -> pairs.stream().allMatch(pair -> server.received(pair.server()).length == expected));
        }
        assertFalse(pairs.stream().anyMatch(pair -> server.side(pair.server()).saw(Event.STARVED)));
    }

    @Test
    void a_receiver_that_pauses_gets_everything_in_order_afterwards() throws IOException {
        var pair = connect();
        var sent = bytes(3 << 20);
        server.transport.receive(pair.server(), true);
        server.reaction = (event, socket) -> {
            if (event == Event.RECEIVED) server.transport.receive(socket, false);
        };
        client.write(pair.client(), sent);
        until(() -> {
            server.transport.receive(pair.server(), true);
            return !client.isSending(pair.client());
        });
        client.transport.end(pair.client());
        until(() -> {
            server.transport.receive(pair.server(), true);
            return server.side(pair.server()).saw(Event.ENDED);
        });
        assertArrayEquals(sent, server.received(pair.server()));
        assertEquals(Event.ENDED, server.side(pair.server()).events.getLast());
    }

    @Test
    void what_arrived_before_a_reset_is_delivered_although_a_send_meets_the_reset_first() throws IOException {
        var pair = connect();
        server.transport.receive(pair.server(), true);
        server.poll(0);
        client.send(pair.client(), client.chain(bytes(100)));
        until(() -> client.side(pair.client()).saw(Event.SENT));
        client.transport.abort(pair.client());
        client.poll(0);
        server.send(pair.server(), server.chain(bytes(100)));
        until(() -> server.side(pair.server()).saw(Event.FAILED));
        assertEquals(100, server.received(pair.server()).length);
        assertEquals(Event.FAILED, server.side(pair.server()).events.getLast());
    }

    @Test
    void a_reset_is_noticed_while_nobody_receives_what_came_before() throws IOException {
        var pair = connect();
        server.transport.receive(pair.server(), true);
        server.poll(0);
        server.transport.receive(pair.server(), false);
        client.write(pair.client(), bytes(100));
        quiet();
        client.transport.abort(pair.client());
        until(() -> server.side(pair.server()).saw(Event.FAILED));
        assertEquals(List.of(Event.FAILED), server.side(pair.server()).events);
    }

    @Test
    void a_place_is_free_at_once_when_its_listener_has_closed() throws IOException {
        int listener = listen();
        var at = server.local(listener);
        server.poll(0);
        for (int i = 0; i < 20; i++) {
            server.transport.close(listener);
            listener = server.transport.listen(at, LISTEN);
            server.transport.receive(listener, true);
            server.poll(0);
        }
        connectTo(listener);
    }

    @Test
    void a_descriptor_that_is_used_again_gets_nothing_of_its_predecessor() throws IOException {
        int listener = listen();
        for (int i = 0; i < 200; i++) {
            var pair = connectTo(listener);
            receiveOn(pair);
            client.write(pair.client(), bytes(10));
            server.transport.close(pair.server());
            client.transport.abort(pair.client());
            var next = connectTo(listener);
            server.transport.receive(next.server(), true);
            client.write(next.client(), bytes(20));
            until(() -> server.received(next.server()).length >= 20);
            assertEquals(List.of(Event.RECEIVED), server.side(next.server()).events);
            server.transport.close(next.server());
            client.transport.close(next.client());
        }
    }
}
