package io.millrace.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Bytes;
import io.millrace.memory.Chain;
import io.millrace.memory.Slab;
import io.millrace.transport.Host.Event;
import io.millrace.transport.Transport.SocketOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/// What every transport does, as [Transport] and [Completions] say.
abstract class TransportContract extends TwoHosts {
    // Connecting.

    @Test
    void connects_and_accepts() throws IOException {
        var pair = connect();
        assertEquals(List.of(Event.CONNECTED), client.side(pair.client()).events);
        assertEquals(client.local(pair.client()), server.remote(pair.server()));
        assertEquals(client.remote(pair.client()), server.local(pair.server()));
    }

    @Test
    void socket_numbers_are_positive_and_differ() throws IOException {
        int listener = listen();
        int first = connectTo(listener).client();
        int second = connectTo(listener).client();
        assertTrue(listener > 0 && first > 0 && second > 0);
        assertNotEquals(first, second);
    }

    @Test
    void a_listener_accepts_only_while_it_receives() throws IOException {
        int listener = server.transport.listen(anyAddress(), LISTEN);
        client.connect(server.local(listener), SocketOptions.NONE);
        quiet();
        assertTrue(server.accepted.isEmpty());
        server.transport.receive(listener, true);
        until(() -> server.accepted.size() == 1);
    }

    @Test
    void a_listener_that_stops_while_it_accepts_gets_no_more() throws IOException {
        int listener = server.transport.listen(anyAddress(), LISTEN);
        for (int i = 0; i < 3; i++) {
            client.connect(server.local(listener), SocketOptions.NONE);
        }
        quiet();
        server.reaction = (_, socket) -> server.transport.receive(socket, false);
        server.transport.receive(listener, true);
        quiet();
        assertEquals(1, server.accepted.size());
        server.reaction = (_, _) -> {};
        server.transport.receive(listener, true);
        until(() -> server.accepted.size() == 3);
    }

    @Test
    void a_discarded_connection_ends() throws IOException {
        int listener = listen();
        int socket = client.connect(server.local(listener), SocketOptions.NONE);
        until(() -> server.accepted.size() == 1);
        server.accepted.remove().discard();
        client.transport.receive(socket, true);
        until(() -> client.side(socket).saw(Event.ENDED) || client.side(socket).saw(Event.FAILED));
    }

    @Test
    void a_connect_that_nobody_accepts_is_refused() throws IOException {
        var nobody = refusingAddress();
        int socket = connectInVain(nobody);
        assertEquals(List.of(Event.FAILED), client.side(socket).events);
        assertEquals(Failure.REFUSED, client.side(socket).failure);
        assertMentions(client.side(socket).detail, portOf(nobody));
        client.transport.close(socket);
    }

    @Test
    void closing_cancels_a_connect() throws IOException {
        int listener = listen();
        int socket = client.connect(server.local(listener), SocketOptions.NONE);
        client.transport.close(socket);
        quiet();
        assertEquals(List.of(), client.side(socket).events);
    }

    @Test
    void closing_a_refused_connect_before_it_is_delivered_cancels_it() throws IOException {
        int socket = client.connect(refusingAddress(), SocketOptions.NONE);
        client.transport.close(socket);
        quiet();
        assertEquals(List.of(), client.side(socket).events);
    }

    @Test
    void receiving_may_be_turned_on_before_the_connection_is_open() throws IOException {
        int listener = listen();
        int socket = client.connect(server.local(listener), SocketOptions.NONE);
        client.transport.receive(socket, true);
        until(() -> server.accepted.size() == 1);
        int other = server.transport.adopt(server.accepted.remove(), SocketOptions.NONE);
        server.write(other, bytes(100));
        until(() -> client.received(socket).length == 100);
        assertEquals(List.of(Event.CONNECTED, Event.RECEIVED), client.side(socket).events);
    }

    @Test
    void many_connections_each_get_their_own_bytes() throws IOException {
        int listener = listen();
        var pairs = new ArrayList<Pair>();
        for (int i = 0; i < 300; i++) pairs.add(connectTo(listener));
        echo(server);
        for (var pair : pairs) receiveOn(pair);
        for (var pair : pairs) client.write(pair.client(), bytesOf(pair));
        until(() -> pairs.stream().allMatch(pair -> client.received(pair.client()).length == bytesOf(pair).length));
        for (var pair : pairs) assertArrayEquals(bytesOf(pair), client.received(pair.client()));
    }

    // Bytes.

    /// Whether a send may end at once, which a transport that only submits does not know.
    boolean sendsAtOnce() {
        return true;
    }

    @Test
    void a_small_message_goes_at_once_and_its_slab_comes_home() throws IOException {
        var pair = connect();
        assertEquals(sendsAtOnce(), client.send(pair.client(), client.chain(bytes(64))));
        if (sendsAtOnce()) assertEquals(0, client.pool.missing());
        else until(() -> client.side(pair.client()).saw(Event.SENT) && client.pool.missing() == 0);
        server.transport.receive(pair.server(), true);
        until(() -> server.received(pair.server()).length == 64);
    }

    @Test
    void an_empty_chain_is_sent_at_once() throws IOException {
        var pair = connect();
        assertTrue(client.send(pair.client(), new Chain()));
        quiet();
        assertEquals(List.of(Event.CONNECTED), client.side(pair.client()).events);
    }

    @Test
    void bytes_come_back_in_order_when_everybody_is_slow() throws IOException {
        var pair = connectWithSmallBuffers();
        var sent = bytes(6 << 20);
        echo(server);
        server.transport.receive(pair.server(), true);
        client.write(pair.client(), sent);
        // The client does not receive: buffers fill on the way there and on the way back.
        quiet();
        assertTrue(client.side(pair.client()).inFlight > 0);
        // And then it does, one slab at a time.
        client.reaction = (event, socket) -> {
            if (event == Event.RECEIVED) client.transport.receive(socket, false);
        };
        until(() -> {
            client.transport.receive(pair.client(), true);
            return client.received(pair.client()).length == sent.length;
        });
        assertArrayEquals(sent, client.received(pair.client()));
        assertEquals(sent.length, client.side(pair.client()).sent);
        assertEquals(sent.length, server.side(pair.server()).sent);
    }

    @Test
    void thousands_of_slabs_are_gathered_in_order() throws IOException {
        var pair = connect();
        var sent = bytes(2500 * 700);
        server.transport.receive(pair.server(), true);
        client.send(pair.client(), client.chainOfPieces(sent, 700));
        until(() -> server.received(pair.server()).length == sent.length);
        assertArrayEquals(sent, server.received(pair.server()));
        until(() -> client.side(pair.client()).inFlight == 0);
        assertEquals(0, client.pool.missing());
    }

    @Test
    void values_sent_by_reference_stand_between_copies() throws IOException {
        var pair = connect();
        var parts = List.of(bytes(10), bytes(5000), bytes(3), bytes(Bytes.BY_REFERENCE), bytes(200_000), bytes(1));
        var output = client.output();
        for (var part : parts) output.write(Bytes.of(part));
        server.transport.receive(pair.server(), true);
        long size = output.size();
        client.send(pair.client(), output.chain());
        until(() -> server.received(pair.server()).length == size);
        assertArrayEquals(concatenated(parts), server.received(pair.server()));
    }

    @Test
    void a_slab_that_was_read_in_part_is_sent_from_where_it_stands() throws IOException {
        var pair = connect();
        var sent = bytes(1000);
        var chain = client.chain(sent);
        chain.drop(400, Slab.Owner.OUTPUT, client.pool);
        client.send(pair.client(), chain);
        server.transport.receive(pair.server(), true);
        until(() -> server.received(pair.server()).length == 600);
        assertArrayEquals(Arrays.copyOfRange(sent, 400, 1000), server.received(pair.server()));
    }

    @Test
    void nothing_is_delivered_while_receiving_is_off() throws IOException {
        var pair = connect();
        client.write(pair.client(), bytes(100));
        quiet();
        assertEquals(List.of(), server.side(pair.server()).events);
        server.transport.receive(pair.server(), true);
        until(() -> server.received(pair.server()).length == 100);
        server.transport.receive(pair.server(), false);
        client.write(pair.client(), bytes(100));
        quiet();
        assertEquals(100, server.received(pair.server()).length);
        server.transport.receive(pair.server(), true);
        until(() -> server.received(pair.server()).length == 200);
    }

    @Test
    void a_receiver_that_turns_receiving_off_gets_no_further_slab() throws IOException {
        var pair = connect();
        client.write(pair.client(), bytes(1 << 20));
        quiet();
        server.reaction = (_, socket) -> server.transport.receive(socket, false);
        server.transport.receive(pair.server(), true);
        quiet();
        assertEquals(List.of(Event.RECEIVED), server.side(pair.server()).events);
    }

    @Test
    void receiving_stops_when_the_pool_is_empty_and_goes_on_when_it_is_told_to() throws IOException {
        var pair = connect();
        client.write(pair.client(), bytes(100_000));
        var taken = new ArrayList<Slab>();
        for (var slab = server.pool.takeForReceive(); slab != null; slab = server.pool.takeForReceive()) {
            taken.add(slab);
        }
        server.transport.receive(pair.server(), true);
        until(() -> server.side(pair.server()).saw(Event.STARVED));
        quiet();
        assertEquals(List.of(Event.STARVED), server.side(pair.server()).events);
        for (var slab : taken) server.pool.give(slab, Slab.Owner.KERNEL);
        server.transport.receive(pair.server(), true);
        until(() -> server.received(pair.server()).length == 100_000);
    }

    // Ends.

    @Test
    void either_side_may_end_first_and_still_receive() throws IOException {
        var pair = connect();
        receiveOn(pair);
        client.write(pair.client(), bytes(1000));
        until(() -> !client.isSending(pair.client()));
        client.transport.end(pair.client());
        until(() -> server.side(pair.server()).saw(Event.ENDED));
        assertEquals(1000, server.received(pair.server()).length);
        server.write(pair.server(), bytes(2000));
        until(() -> client.received(pair.client()).length == 2000);
        server.transport.end(pair.server());
        until(() -> client.side(pair.client()).saw(Event.ENDED));
    }

    @Test
    void a_connection_whose_peer_has_ended_keeps_no_poll_from_waiting() throws IOException {
        var pair = connect();
        receiveOn(pair);
        client.transport.end(pair.client());
        until(() -> server.side(pair.server()).saw(Event.ENDED));
        quiet();
        assertFalse(server.poll(0));
        server.transport.receive(pair.server(), false);
        server.transport.receive(pair.server(), true);
        quiet();
        assertEquals(List.of(Event.ENDED), server.side(pair.server()).events);
    }

    @Test
    void closing_ends_the_connection_behind_what_was_sent() throws IOException {
        var pair = connect();
        client.write(pair.client(), bytes(50_000));
        client.transport.close(pair.client());
        server.transport.receive(pair.server(), true);
        until(() -> server.side(pair.server()).saw(Event.ENDED));
        assertEquals(50_000, server.received(pair.server()).length);
    }

    @Test
    void closing_drops_what_the_kernel_did_not_take() throws IOException {
        var pair = connectWithSmallBuffers();
        var sent = bytes(4 << 20);
        assertFalse(client.send(pair.client(), client.chain(sent)));
        client.transport.close(pair.client());
        server.transport.receive(pair.server(), true);
        until(() -> server.side(pair.server()).saw(Event.ENDED));
        var received = server.received(pair.server());
        assertTrue(received.length < sent.length);
        assertArrayEquals(Arrays.copyOf(sent, received.length), received);
        until(() -> client.pool.missing() == 0);
    }

    @Test
    void aborting_resets_the_peer() throws IOException {
        var pair = connect();
        receiveOn(pair);
        client.transport.abort(pair.client());
        until(() -> server.side(pair.server()).saw(Event.FAILED));
        assertEquals(Failure.RESET, server.side(pair.server()).failure);
        assertFalse(server.side(pair.server()).saw(Event.ENDED));
        assertFalse(server.side(pair.server()).detail.isEmpty());
        assertEquals(List.of(Event.CONNECTED), client.side(pair.client()).events);
    }

    @Test
    void aborting_drops_what_was_not_sent() throws IOException {
        var pair = connectWithSmallBuffers();
        assertFalse(client.send(pair.client(), client.chain(bytes(4 << 20))));
        client.transport.abort(pair.client());
        until(() -> client.pool.missing() == 0);
        server.transport.receive(pair.server(), true);
        until(() -> server.side(pair.server()).saw(Event.FAILED));
        assertEquals(Failure.RESET, server.side(pair.server()).failure);
    }

    @Test
    void sending_to_a_peer_that_is_gone_fails_and_slabs_come_home() throws IOException {
        var pair = connect();
        client.transport.abort(pair.client());
        until(() -> {
            if (server.side(pair.server()).inFlight == 0) server.send(pair.server(), server.chain(bytes(1000)));
            return server.side(pair.server()).saw(Event.FAILED);
        });
        assertEquals(Failure.RESET, server.side(pair.server()).failure);
        server.transport.close(pair.server());
        until(() -> server.pool.missing() == 0);
        assertEquals(client.side(pair.client()).events, List.of(Event.CONNECTED));
    }

    @Test
    void a_reset_fails_a_send_under_way() throws IOException {
        var pair = connectWithSmallBuffers();
        assertFalse(server.send(pair.server(), server.chain(bytes(4 << 20))));
        client.transport.abort(pair.client());
        until(() -> server.side(pair.server()).saw(Event.FAILED));
        assertEquals(Failure.RESET, server.side(pair.server()).failure);
        server.transport.close(pair.server());
        until(() -> server.pool.missing() == 0);
    }

    @Test
    void nothing_is_delivered_after_a_failure_and_the_address_stays_known() throws IOException {
        var pair = connect();
        receiveOn(pair);
        var remote = server.remote(pair.server());
        client.transport.abort(pair.client());
        until(() -> server.side(pair.server()).saw(Event.FAILED));
        server.transport.receive(pair.server(), true);
        quiet();
        assertEquals(List.of(Event.FAILED), server.side(pair.server()).events);
        assertEquals(remote, server.remote(pair.server()));
    }

    // Receivers that close.

    @Test
    void a_receiver_may_close_the_socket_that_received() throws IOException {
        var pair = connect();
        client.write(pair.client(), bytes(1 << 20));
        quiet();
        server.reaction = (_, socket) -> server.transport.close(socket);
        server.transport.receive(pair.server(), true);
        quiet();
        assertEquals(List.of(Event.RECEIVED), server.side(pair.server()).events);
    }

    @Test
    void a_receiver_may_close_the_socket_that_connected() throws IOException {
        int listener = listen();
        client.reaction = (_, socket) -> client.transport.close(socket);
        int socket = client.connect(server.local(listener), SocketOptions.NONE);
        client.transport.receive(socket, true);
        until(() -> client.side(socket).saw(Event.CONNECTED));
        quiet();
        assertEquals(List.of(Event.CONNECTED), client.side(socket).events);
    }

    @Test
    void a_receiver_may_close_the_socket_that_sent() throws IOException {
        var pair = connectWithSmallBuffers();
        assertFalse(client.send(pair.client(), client.chain(bytes(4 << 20))));
        client.reaction = (_, socket) -> client.transport.close(socket);
        server.transport.receive(pair.server(), true);
        until(() -> client.side(pair.client()).saw(Event.SENT));
        quiet();
        assertEquals(List.of(Event.CONNECTED, Event.SENT), client.side(pair.client()).events);
        assertEquals(0, client.pool.missing());
    }

    @Test
    void a_receiver_may_close_the_socket_that_ended_or_failed() throws IOException {
        int listener = listen();
        var ended = connectTo(listener);
        var failed = connectTo(listener);
        receiveOn(ended);
        receiveOn(failed);
        server.reaction = (_, socket) -> server.transport.close(socket);
        client.transport.end(ended.client());
        client.transport.abort(failed.client());
        until(() -> server.side(ended.server()).saw(Event.ENDED)
                && server.side(failed.server()).saw(Event.FAILED));
        until(() -> client.side(ended.client()).saw(Event.ENDED));
        assertThrows(IllegalStateException.class, () -> server.remote(ended.server()));
    }

    @Test
    void a_receiver_may_close_another_socket_that_has_something_to_deliver() throws IOException {
        int listener = listen();
        var pairs = new ArrayList<Pair>();
        for (int i = 0; i < 20; i++) pairs.add(connectTo(listener));
        for (var pair : pairs) client.write(pair.client(), bytes(1000));
        quiet();
        server.reaction = (event, socket) -> {
            if (event != Event.RECEIVED) return;
            for (var pair : pairs) if (pair.server() != socket) server.transport.close(pair.server());
        };
        for (var pair : pairs) server.transport.receive(pair.server(), true);
        quiet();
        long told = pairs.stream()
                .filter(pair -> !server.side(pair.server()).events.isEmpty())
                .count();
        assertEquals(1, told);
    }

    @Test
    void a_receiver_may_close_the_listener() throws IOException {
        int listener = listen();
        server.reaction = (_, socket) -> server.transport.close(socket);
        var at = server.local(listener);
        for (int i = 0; i < 3; i++) client.connect(at, SocketOptions.NONE);
        until(() -> server.accepted.size() == 1);
        quiet();
        assertEquals(1, server.accepted.size());
    }

    @Test
    void operations_on_a_closed_socket_change_nothing() throws IOException {
        var pair = connect();
        receiveOn(pair);
        int stale = server.transport.adopt(secondConnection(pair), SocketOptions.NONE);
        server.transport.close(stale);
        assertTrue(server.transport.send(stale, server.chain(bytes(100_000))));
        server.transport.receive(stale, true);
        server.transport.end(stale);
        server.transport.abort(stale);
        server.transport.close(stale);
        assertThrows(IllegalStateException.class, () -> server.local(stale));
        assertThrows(IllegalStateException.class, () -> server.remote(stale));
        quiet();
        assertEquals(List.of(), server.side(stale).events);
        echo(server);
        client.write(pair.client(), bytes(100));
        until(() -> client.received(pair.client()).length == 100);
    }

    // Polls.

    @Test
    void a_poll_without_a_timeout_does_not_wait() {
        assertFalse(server.poll(0));
    }

    @Test
    void a_wake_up_before_a_poll_ends_its_wait() {
        server.transport.wakeup();
        server.transport.wakeup();
        assertFalse(server.poll(Long.MAX_VALUE));
    }

    @Test
    void other_threads_end_waits_again_and_again() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            var waker = new Thread(server.transport::wakeup);
            waker.start();
            assertFalse(server.poll(Long.MAX_VALUE));
            waker.join();
        }
    }

    @Test
    void a_poll_that_waits_delivers_what_arrives() throws IOException {
        var pair = connect();
        server.transport.receive(pair.server(), true);
        client.write(pair.client(), bytes(10));
        // A transport may hand over what is to be sent in its next poll.
        client.poll(0);
        while (server.received(pair.server()).length < 10) assertTrue(server.poll(Long.MAX_VALUE));
    }

    @Test
    void closing_a_transport_closes_its_connections() throws IOException {
        var pair = connectWithSmallBuffers();
        receiveOn(pair);
        assertFalse(server.send(pair.server(), server.chain(bytes(4 << 20))));
        closeServer();
        until(() -> client.side(pair.client()).saw(Event.ENDED)
                || client.side(pair.client()).saw(Event.FAILED));
    }

    private static byte[] bytesOf(Pair pair) {
        return ("I am " + pair.client())
                .repeat(1 + pair.client() % 7)
                .getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    private static byte[] concatenated(List<byte[]> parts) {
        var all = new java.io.ByteArrayOutputStream();
        parts.forEach(all::writeBytes);
        return all.toByteArray();
    }
}
