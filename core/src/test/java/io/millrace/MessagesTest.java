package io.millrace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.codec.BlockingMessages;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.MessageHandler;
import io.millrace.codec.MessageHandlerFactory;
import io.millrace.codec.Messages;
import io.millrace.net.Overloaded;
import io.millrace.net.ProtocolError;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Messages in both styles over real sockets, on every kind of loop and with every dispatch.
@Timeout(60)
class MessagesTest {
    private static final Framing FRAMES = Framing.lengthPrefixed(1 << 20);
    private static final Codec<String> TEXT = Codec.utf8();

    static Stream<Arguments> loopsAndDispatch() {
        return Stream.of(Loops.values())
                .flatMap(kind -> Stream.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2))
                        .map(dispatch -> Arguments.of(kind, dispatch)));
    }

    static CheckedLoops start(Loops kind, int threads) {
        return new CheckedLoops(kind.start(threads));
    }

    @ParameterizedTest
    @MethodSource("loopsAndDispatch")
    void a_handler_echoes_messages_in_order(Loops kind, Dispatch dispatch) throws IOException {
        try (var loops = start(kind, 1);
                var server =
                        Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(FRAMES, TEXT, peer -> peer::send));
                var client = loops.connect(server, FRAMES, TEXT)) {
            for (int i = 0; i < 1000; i++) client.send("message " + i);
            for (int i = 0; i < 1000; i++) assertEquals("message " + i, client.receive());
            client.end();
            assertNull(client.receive());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_echoes_messages_in_order(Loops kind) throws IOException {
        try (var loops = start(kind, 1);
                var server = Tcp.serve(loops.listen(), BlockingMessages.over(FRAMES, TEXT, MessagesTest::echo));
                var client = loops.connect(server, FRAMES, TEXT)) {
            for (int i = 0; i < 1000; i++) client.send("message " + i);
            client.end();
            for (int i = 0; i < 1000; i++) assertEquals("message " + i, client.receive());
            assertNull(client.receive());
            assertNull(client.receive());
        }
    }

    private static void echo(BlockingMessages<String> peer) throws IOException {
        for (String text; (text = peer.receive()) != null; ) peer.send(text);
    }

    @ParameterizedTest
    @MethodSource("loopsAndDispatch")
    void messages_longer_than_the_input_limit_pass(Loops kind, Dispatch dispatch) throws IOException {
        var large = "0123456789abcdef".repeat(1 << 16);
        try (var loops = start(kind, 1);
                var server =
                        Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(FRAMES, TEXT, peer -> peer::send));
                var client = loops.connect(server, FRAMES, TEXT)) {
            for (int i = 0; i < 5; i++) {
                client.send(large);
                assertEquals(large, client.receive());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_client_may_use_callbacks(Loops kind) throws Exception {
        var heard = new LinkedBlockingQueue<String>();
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen(), Messages.over(FRAMES, TEXT, peer -> peer::send))) {
            MessageHandlerFactory<String> talker = peer -> {
                peer.send("hello");
                return heard::add;
            };
            Tcp.connect(Connect.to(server.address()).loops(loops.loops()), Messages.over(FRAMES, TEXT, talker));
            assertEquals("hello", heard.poll(20, TimeUnit.SECONDS));
        }
    }

    /// Sends to a peer from several threads at a time, while its handler is idle or busy echoing.
    @ParameterizedTest
    @MethodSource("loopsAndDispatch")
    void messages_of_each_thread_keep_their_order(Loops kind, Dispatch dispatch) throws Exception {
        int threads = 4;
        int each = 2000;
        var opened = new CompletableFuture<Messages<String>>();
        MessageHandlerFactory<String> factory = peer -> {
            opened.complete(peer);
            return peer::send;
        };
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(FRAMES, TEXT, factory));
                var client = loops.connect(server, FRAMES, TEXT)) {
            var peer = opened.get(20, TimeUnit.SECONDS);
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                Thread.ofVirtual().start(() -> sendNumbered(peer, number, each));
            }
            for (int i = 0; i < each; i++) client.send(threads + " " + i + " echo");
            var next = new int[threads + 1];
            for (int i = 0; i < (threads + 1) * each; i++) {
                var words = String.valueOf(client.receive()).split(" ", -1);
                int thread = Integer.parseInt(words[0]);
                assertEquals(next[thread]++, Integer.parseInt(words[1]), "of thread " + thread);
            }
        }
    }

    private static void sendNumbered(Messages<String> peer, int thread, int count) {
        for (int i = 0; i < count; i++) {
            // Now and then a long one, which is handed over and not copied.
            peer.send(thread + " " + i + " " + "x".repeat(i % 100 == 0 ? 3000 : 10));
        }
    }

    /// The handler's own message must not overtake one that another thread sent before it.
    @ParameterizedTest
    @EnumSource
    void messages_of_threads_that_wait_for_each_other_keep_their_order(Loops kind) throws IOException {
        MessageHandlerFactory<String> factory = peer -> text -> {
            var other = Thread.ofPlatform().start(() -> peer.send(text + " from another thread"));
            join(other);
            peer.send(text + " from the handler");
        };
        for (var dispatch : List.of(Dispatch.virtual(), Dispatch.pool(1))) {
            try (var loops = start(kind, 1);
                    var server = Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(FRAMES, TEXT, factory));
                    var client = loops.connect(server, FRAMES, TEXT)) {
                for (int i = 0; i < 50; i++) client.send(i + "");
                for (int i = 0; i < 50; i++) {
                    assertEquals(i + " from another thread", client.receive());
                    assertEquals(i + " from the handler", client.receive());
                }
            }
        }
    }

    private static void join(Thread thread) throws IOException {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_message_sent_just_before_the_end_arrives(Loops kind) throws Exception {
        var opened = new CompletableFuture<Messages<String>>();
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen(), Messages.over(FRAMES, TEXT, peer -> {
                    opened.complete(peer);
                    return text -> {};
                }));
                var client = loops.connect(server, FRAMES, TEXT)) {
            var peer = opened.get(20, TimeUnit.SECONDS);
            assertTrue(peer.send("last words"));
            peer.close();
            assertFalse(peer.send("too late"));
            assertEquals("last words", client.receive());
            assertNull(client.receive());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_message_that_does_not_fit_is_refused_in_the_senders_thread(Loops kind) throws Exception {
        var opened = new CompletableFuture<Messages<String>>();
        var small = Framing.lengthPrefixed(10);
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen(), Messages.over(small, TEXT, peer -> {
                    opened.complete(peer);
                    return text -> {};
                }));
                var client = loops.connect(server, small, TEXT)) {
            var peer = opened.get(20, TimeUnit.SECONDS);
            assertThrows(IllegalArgumentException.class, () -> peer.send("far too long"));
            assertThrows(IllegalArgumentException.class, () -> client.send("far too long"));
            peer.send("fits");
            assertEquals("fits", client.receive());
        }
    }

    @ParameterizedTest
    @MethodSource("loopsAndDispatch")
    void a_frame_over_the_limit_closes_its_connection_and_no_other(Loops kind, Dispatch dispatch) throws Exception {
        var closed = new Closes();
        var small = Framing.lengthPrefixed(10);
        try (var loops = start(kind, 1);
                var server =
                        Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(small, TEXT, closed::echoing));
                var bystander = loops.connect(server, small, TEXT);
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            bystander.send("before");
            assertEquals("before", bystander.receive());
            socket.getOutputStream().write(new byte[] {0, 0, 0, 11});
            var cause = assertInstanceOf(ProtocolError.class, closed.next());
            assertTrue(cause.toString().contains("11 is over the limit of 10"), cause.toString());
            bystander.send("after");
            assertEquals("after", bystander.receive());
        }
    }

    @ParameterizedTest
    @MethodSource("loopsAndDispatch")
    void a_stream_that_ends_inside_a_frame_is_a_protocol_error(Loops kind, Dispatch dispatch) throws Exception {
        var closed = new Closes();
        try (var loops = start(kind, 1);
                var server =
                        Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(FRAMES, TEXT, closed::echoing));
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(new byte[] {0, 0, 0, 3, 'a'});
            socket.shutdownOutput();
            var cause = assertInstanceOf(ProtocolError.class, closed.next());
            assertTrue(cause.toString().contains("ended inside a frame, after 5"), cause.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_session_hears_of_a_stream_that_ends_inside_a_frame(Loops kind) throws Exception {
        var thrown = new CompletableFuture<IOException>();
        try (var loops = start(kind, 1);
                var server = Tcp.serve(
                        loops.listen(),
                        BlockingMessages.over(
                                FRAMES,
                                TEXT,
                                peer -> thrown.complete(assertThrows(IOException.class, peer::receive))));
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.getOutputStream().write(new byte[] {0, 0, 0, 3, 'a'});
            socket.shutdownOutput();
            assertInstanceOf(ProtocolError.class, thrown.get(20, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @MethodSource("loopsAndDispatch")
    void a_paused_handler_gets_the_rest_and_the_end_when_it_resumes(Loops kind, Dispatch dispatch) throws Exception {
        var heard = new LinkedBlockingQueue<String>();
        var opened = new CompletableFuture<Messages<String>>();
        MessageHandlerFactory<String> factory = peer -> {
            opened.complete(peer);
            return pausingAtEach(peer, heard);
        };
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(FRAMES, TEXT, factory));
                var client = loops.connect(server, FRAMES, TEXT)) {
            for (int i = 0; i < 100; i++) client.send(i + "");
            client.end();
            for (int i = 0; i < 100; i++) {
                assertEquals(i + "", heard.poll(20, TimeUnit.SECONDS));
                assertTrue(heard.isEmpty(), () -> "delivered while paused: " + heard);
                opened.get(20, TimeUnit.SECONDS).resume();
            }
            assertEquals("end", heard.poll(20, TimeUnit.SECONDS));
            assertNull(client.receive());
        }
    }

    private static MessageHandler<String> pausingAtEach(Messages<String> peer, LinkedBlockingQueue<String> heard) {
        return new MessageHandler<>() {
            @Override
            public void onMessage(String text) {
                peer.pause();
                heard.add(text);
            }

            @Override
            public void onEnd(Messages<String> ended) {
                heard.add("end");
                ended.close();
            }
        };
    }

    @ParameterizedTest
    @MethodSource("loopsAndDispatch")
    void nothing_is_delivered_after_close(Loops kind, Dispatch dispatch) throws Exception {
        var heard = new ArrayList<String>();
        var closed = new Closes();
        MessageHandlerFactory<String> factory = peer -> closed.watching(text -> {
            heard.add(text);
            peer.send("bye");
            peer.close();
        });
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen().dispatch(dispatch), Messages.over(FRAMES, TEXT, factory));
                var client = loops.connect(server, FRAMES, TEXT)) {
            client.send("first");
            client.send("second");
            assertEquals("bye", client.receive());
            assertNull(client.receive());
            client.end();
            assertNull(closed.next());
            assertEquals(List.of("first"), heard);
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_sender_that_stops_when_the_peer_is_full_is_told_to_go_on(Loops kind) throws Exception {
        var opened = new CompletableFuture<Messages<String>>();
        var writable = new CountDownLatch(1);
        MessageHandlerFactory<String> factory = peer -> {
            opened.complete(peer);
            return new MessageHandler<>() {
                @Override
                public void onMessage(String text) {}

                @Override
                public void onWritable() {
                    writable.countDown();
                }
            };
        };
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen(), Messages.over(FRAMES, TEXT, factory));
                var client = loops.connect(server, FRAMES, TEXT)) {
            var peer = opened.get(20, TimeUnit.SECONDS);
            var text = "x".repeat(5000);
            int sent = 0;
            for (; !peer.isFull(); sent++) peer.send(text);
            for (int i = 0; i < sent; i++) assertEquals(text, client.receive());
            assertTrue(writable.await(20, TimeUnit.SECONDS));
            assertFalse(peer.isFull());
        }
    }

    @ParameterizedTest
    @EnumSource
    void a_peer_that_never_reads_is_dropped_at_the_output_limit(Loops kind) throws Exception {
        var opened = new CompletableFuture<Messages<String>>();
        var closed = new Closes();
        MessageHandlerFactory<String> factory = peer -> {
            opened.complete(peer);
            return closed.watching(text -> {});
        };
        try (var loops = start(kind, 1);
                var server = Tcp.listen(loops.listen().outputLimit(1 << 20), Messages.over(FRAMES, TEXT, factory));
                var socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            var peer = opened.get(20, TimeUnit.SECONDS);
            var text = "x".repeat(50_000);
            while (peer.send(text)) assertTrue(socket.isConnected());
            var cause = assertInstanceOf(Overloaded.class, closed.next());
            assertTrue(cause.toString().contains("the limit is 1048576"), cause.toString());
            assertFalse(peer.send("more"));
        }
    }

    /// Hears how connections end.
    private static final class Closes {
        private final LinkedBlockingQueue<java.util.Optional<IOException>> causes = new LinkedBlockingQueue<>();

        MessageHandler<String> echoing(Messages<String> peer) {
            return watching(peer::send);
        }

        MessageHandler<String> watching(MessageHandler<String> handler) {
            return new MessageHandler<>() {
                @Override
                public void onMessage(String text) throws IOException {
                    handler.onMessage(text);
                }

                @Override
                public void onClose(@org.jspecify.annotations.Nullable IOException cause) {
                    causes.add(java.util.Optional.ofNullable(cause));
                }
            };
        }

        @org.jspecify.annotations.Nullable
        IOException next() throws InterruptedException {
            var cause = causes.poll(20, TimeUnit.SECONDS);
            if (cause == null) throw new AssertionError("the connection did not close");
            return cause.orElse(null);
        }
    }
}
