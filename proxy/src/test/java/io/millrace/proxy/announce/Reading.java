package io.millrace.proxy.announce;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import io.millrace.net.ProtocolError;
import io.millrace.proxy.announce.HeaderReader.Announcement;
import java.util.Arrays;
import java.util.Optional;

/// The beginning of a connection that arrives in pieces, and what a reader makes of it.
final class Reading {
    static final int MOST_BYTES = 512;
    static final String REFUSED = "refused";
    static final String INCOMPLETE = "incomplete";

    private static final SlabPool POOL = new SlabPool(16 << 20, true);

    private Reading() {}

    /// @param outcome  whom it announces, or why nobody
    /// @param consumed bytes of the header
    record Verdict(String outcome, long consumed) {}

    static String text(Announcement announced) {
        return announced.source().map(Object::toString).orElse("nobody") + " to "
                + announced.destination().map(Object::toString).orElse("nobody");
    }

    /// The same, whole and cut at every byte, and byte by byte.
    static Verdict everyWay(byte[] bytes) {
        var whole = inPieces(bytes);
        for (int at = 1; at < bytes.length; at++) {
            int cut = at;
            assertEquals(whole, inPieces(bytes, at), () -> "cut at " + cut);
        }
        var all = new int[Math.max(0, bytes.length - 1)];
        Arrays.setAll(all, i -> i + 1);
        assertEquals(whole, inPieces(bytes, all), "byte by byte");
        return whole;
    }

    /// @param cuts in ascending order
    static Verdict inPieces(byte[] bytes, int... cuts) {
        var in = new LoopInput(POOL);
        try {
            int from = 0;
            for (int i = 0; i <= cuts.length; i++) {
                int to = i < cuts.length ? cuts[i] : bytes.length;
                arrive(in, bytes, from, to);
                in.lend(POOL);
                Optional<Announcement> read;
                try {
                    long before = in.remaining();
                    read = new HeaderReader(MOST_BYTES).read(in);
                    if (read.isEmpty()) assertEquals(before, in.remaining(), "consumed too early");
                    if (read.isPresent()) return new Verdict(text(read.get()), to - in.remaining());
                } catch (ProtocolError _) {
                    return new Verdict(REFUSED, 0);
                } finally {
                    in.endLoan(POOL);
                }
                from = to;
            }
            return new Verdict(INCOMPLETE, 0);
        } finally {
            in.release();
            assertEquals(0, POOL.bytesOut());
        }
    }

    private static void arrive(LoopInput in, byte[] bytes, int from, int to) {
        var arriving = LoopOutput.aside(POOL);
        arriving.write(bytes, from, to - from);
        var chain = arriving.chain();
        chain.pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        in.appendAll(chain);
    }
}
