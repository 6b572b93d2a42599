package io.millrace.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.millrace.bytes.Bytes;
import io.millrace.net.ProtocolError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds for every framing, every message and every way it is cut into pieces. A failure names its seed.
class FramingPropertyTest {
    private static final int SEEDS = Integer.getInteger("millrace.framingSeeds", 500);
    private static final int MAX_BYTES = 5000;
    private static final Bytes DELIMITER = Bytes.of((byte) 1, (byte) 2, (byte) 1);

    static Stream<Framing> framings() {
        var prefixed = Framing.lengthPrefixed(MAX_BYTES);
        return Stream.of(
                prefixed,
                prefixed.littleEndian(),
                prefixed.lengthField(1),
                prefixed.lengthField(2),
                prefixed.lengthField(3).littleEndian(),
                prefixed.lengthField(8).littleEndian(),
                prefixed.varint(),
                prefixed.lengthField(2).adjustment(-2),
                prefixed.varint().adjustment(7),
                prefixed.withHeader(),
                prefixed.offset(5).lengthField(2).adjustment(-7),
                prefixed.offset(9).varint(),
                Framing.lines(MAX_BYTES),
                Framing.delimited(DELIMITER, MAX_BYTES),
                Framing.fixed(100));
    }

    @ParameterizedTest
    @MethodSource("framings")
    void messages_arrive_as_they_were_sent(Framing framing) {
        int messages = 0;
        try (var wire = new Wire()) {
            for (int seed = 0; seed < SEEDS; seed++)
                messages += roundTrip(framing, wire, new Random(seed), "seed " + seed);
        }
        assertTrue(messages > SEEDS, "too few messages to mean anything: " + messages);
    }

    private static int roundTrip(Framing framing, Wire wire, Random random, String seed) {
        try {
            var sent = new ArrayList<Bytes>();
            for (int i = 0; i < 1 + random.nextInt(20); i++) send(framing, wire, random, sent);
            assertEquals(sent, received(wire, wire.frames(framing, Codec.bytes()), wire.written(), random), seed);
            return sent.size();
        } catch (ProtocolError e) {
            return fail(seed, e);
        }
    }

    /// Sends a random message; one that the framing refuses must leave no trace.
    private static void send(Framing framing, Wire wire, Random random, List<Bytes> sent) {
        var message = message(framing, random);
        long before = wire.output.size();
        try {
            framing.write(Bytes.of(message), Codec.bytes(), wire.output);
        } catch (IllegalArgumentException e) {
            assertEquals(before, wire.output.size());
            return;
        }
        var frame = wire.output.toBytes().toArray();
        sent.add(framing instanceof LengthPrefixed ? asSeen(frame, (int) before, message) : Bytes.of(message));
    }

    /// A codec that sees the header sees the length, where it wrote anything.
    private static Bytes asSeen(byte[] output, int before, byte[] message) {
        int framed = output.length - before;
        if (Arrays.equals(output, output.length - message.length, output.length, message, 0, message.length))
            return Bytes.of(message);
        return Bytes.of(Arrays.copyOfRange(output, output.length - framed, output.length));
    }

    private static byte[] message(Framing framing, Random random) {
        if (framing instanceof FixedLength) return Wire.random(random, random.nextInt(8) == 0 ? 99 : 100);
        var message = Wire.random(random, random.nextInt(1 << random.nextInt(14)));
        // Otherwise hardly a long message is free of line feeds, and hardly any has delimiters.
        for (int i = 0; i < message.length; i++) {
            if (framing instanceof Delimited && random.nextInt(1000) > 0)
                message[i] = (byte) ((message[i] & 0x7f) | 0x30);
            else if (random.nextInt(1000) == 0) message[i] = (byte) (1 + random.nextInt(2));
        }
        return message;
    }

    private static List<Bytes> received(Wire wire, Frames<Bytes> frames, byte[] stream, Random random)
            throws ProtocolError {
        var messages = new ArrayList<Bytes>();
        int most = 1 << random.nextInt(14);
        // Slabs of their own are for pieces of a size: there are a thousand.
        boolean coalesces = most < 64 || random.nextBoolean();
        for (int at = 0; at < stream.length; ) {
            int end = Math.min(stream.length, at + 1 + random.nextInt(most));
            if (coalesces) wire.trickle(stream, at, end);
            else wire.arrive(stream, at, end);
            at = end;
            takeAll(wire, frames, messages);
        }
        assertEquals(0, wire.input.remaining());
        return messages;
    }

    private static void takeAll(Wire wire, Frames<Bytes> frames, List<Bytes> messages) throws ProtocolError {
        while (true) {
            var message = frames.next(wire.input);
            if (message == null) return;
            messages.add(message);
        }
    }

    @ParameterizedTest
    @MethodSource("framings")
    void random_bytes_become_messages_or_a_protocol_error(Framing framing) {
        try (var wire = new Wire()) {
            for (int seed = 0; seed < SEEDS; seed++) {
                survive(wire, wire.frames(framing, Codec.bytes()), framing, new Random(seed), "seed " + seed);
                wire.input.release();
            }
        }
    }

    private static void survive(Wire wire, Frames<Bytes> frames, Framing framing, Random random, String seed) {
        try {
            for (int i = 0; i < 50; i++) {
                var piece = Wire.random(random, 1 + random.nextInt(1 << random.nextInt(9)));
                // Small numbers, so that lengths are within the limit now and then.
                if (random.nextBoolean()) Arrays.fill(piece, 0, piece.length / 2, (byte) random.nextInt(3));
                wire.trickle(piece, 0, piece.length);
                long left = takeAllOf(wire, frames);
                assertTrue(left < framing.maxFrameBytes(), seed + ": " + left + " bytes left of an unfinished frame");
            }
        } catch (ProtocolError e) {
            assertTrue(String.valueOf(e.getMessage()).contains("Framing."), seed + ": " + e.getMessage());
        } catch (RuntimeException e) {
            fail(seed, e);
        }
    }

    private static long takeAllOf(Wire wire, Frames<Bytes> frames) throws ProtocolError {
        while (true) {
            long before = wire.input.remaining();
            var message = frames.next(wire.input);
            if (message == null) {
                assertEquals(before, wire.input.remaining());
                return before;
            }
            assertTrue(wire.input.remaining() < before);
        }
    }
}
