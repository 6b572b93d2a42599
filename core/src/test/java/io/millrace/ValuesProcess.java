package io.millrace;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Messages;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

/// A server that decodes each message into a value and sends that back, and peers that keep it busy, in one process
/// with little memory: run by [ValuesTest].
final class ValuesProcess {
    private static final int PEERS = 8;

    private ValuesProcess() {}

    /// The argument is the name of a [Loops]. Each line of the input is a round: the size of a message, and the
    /// bytes of all; it is answered with the number of full collections and the most memory outside
    /// the heap.
    public static void main(String[] arguments) throws Exception {
        var framing = Framing.lengthPrefixed(8 << 20);
        try (var loops = Loops.valueOf(arguments[0]).start(1);
                var server =
                        Tcp.listen(TcpTest.local(loops), Messages.over(framing, Codec.bytes(), peer -> peer::send));
                var in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String line; (line = in.readLine()) != null; ) {
                var numbers = line.split(" ", -1);
                System.out.println(load(server, Integer.parseInt(numbers[0]), Long.parseLong(numbers[1])));
            }
        }
    }

    private static String load(Server server, int size, long bytes) throws Exception {
        var file = Files.createTempFile("millrace", ".jfr");
        try (var recording = new Recording()) {
            recording.enable("jdk.GarbageCollection");
            recording.enable("jdk.DirectBufferStatistics").withPeriod(Duration.ofMillis(100));
            recording.start();
            run(server, size, bytes);
            recording.stop();
            recording.dump(file);
            var events = RecordingFile.readAllEvents(file);
            return fullCollections(events) + " " + mostMemory(events);
        } finally {
            Files.delete(file);
        }
    }

    private static long fullCollections(List<RecordedEvent> events) {
        return of(events, "jdk.GarbageCollection")
                .filter(collection -> collection.getString("name").equals("G1Full"))
                .count();
    }

    private static long mostMemory(List<RecordedEvent> events) {
        return of(events, "jdk.DirectBufferStatistics")
                .mapToLong(look -> look.getLong("memoryUsed"))
                .max()
                .orElseThrow();
    }

    private static Stream<RecordedEvent> of(List<RecordedEvent> events, String type) {
        return events.stream().filter(event -> event.getEventType().getName().equals(type));
    }

    private static void run(Server server, int size, long bytes) throws Exception {
        try (var threads = Executors.newCachedThreadPool()) {
            var peers = new ArrayList<Callable<Void>>();
            for (int i = 0; i < PEERS; i++) peers.add(() -> talk(server, size, bytes / size / PEERS));
            for (var done : threads.invokeAll(peers)) done.get();
        }
    }

    private static Void talk(Server server, int size, long messages) throws IOException {
        byte[] message = ByteBuffer.allocate(Integer.BYTES + size).putInt(size).array();
        byte[] answer = new byte[message.length];
        try (var peer = RawPeer.of(server)) {
            var in = new DataInputStream(peer.socket().getInputStream());
            for (long i = 0; i < messages; i++) {
                peer.send(message);
                in.readFully(answer);
            }
        }
        return null;
    }
}
