package io.millrace.http.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.HttpLimits;
import io.millrace.http.fuzz.Cuts;
import io.millrace.http.fuzz.StrictGrammar;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.memory.Arrivals;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.SlabPool;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/// A body in chunks: the same data, trailers and end wherever it is cut; those of the strict grammar; and what is
/// written is read again.
public final class FuzzChunked {
    private static final HttpLimits LIMITS =
            HttpLimits.standard().headBytes(400).fields(8);
    private static final SlabPool POOL = new SlabPool(16 << 20, true);
    private static final String LIMITED = "a limit";
    private static final String REFUSED = "refused";
    private static final String INCOMPLETE = "incomplete";

    private FuzzChunked() {}

    /// @param outcome how it ended: with its trailers, or why not
    private record Verdict(String data, String outcome, long end) {}

    public static void fuzzerTestOneInput(byte[] input) {
        Verdict whole = null;
        for (var cuts : Cuts.of(input)) {
            var verdict = parsed(input, cuts);
            if (whole == null) {
                whole = verdict;
                assertStrict(input, verdict);
            }
            // Of what is refused, some data may have been given already.
            boolean isRefused = whole.outcome.equals(REFUSED) || whole.outcome.equals(LIMITED);
            if (isRefused) assertEquals(whole.outcome, verdict.outcome);
            else assertEquals(whole, verdict);
        }
        assertWrittenIsRead(input);
        assertEquals(0, POOL.bytesOut());
    }

    private static Verdict parsed(byte[] input, int[] cuts) {
        var arrivals = new Arrivals(POOL);
        var decoder = new ChunkDecoder(LIMITS);
        var data = new ByteArrayOutputStream();
        try {
            int from = 0;
            for (int i = 0; i <= cuts.length; i++) {
                int to = i < cuts.length ? cuts[i] : input.length;
                boolean isDone = from < to && read(decoder, arrivals.receive(input, from, to), data);
                arrivals.endLoan();
                if (isDone) return verdict(data, Verdicts.lines(decoder.trailers()), arrivals.read());
                from = to;
            }
            return verdict(data, INCOMPLETE, arrivals.read());
        } catch (Refusal e) {
            return verdict(data, e.status() == 431 ? LIMITED : REFUSED, 0);
        } finally {
            arrivals.release();
        }
    }

    private static Verdict verdict(ByteArrayOutputStream data, String outcome, long end) {
        return new Verdict(data.toString(StandardCharsets.ISO_8859_1), outcome, end);
    }

    /// @return whether it is complete
    private static boolean read(ChunkDecoder decoder, LoopInput in, ByteArrayOutputStream data) throws Refusal {
        while (true) {
            long length = decoder.next(in);
            if (length <= 0) return length == ChunkDecoder.DONE;
            data.writeBytes(in.readBytes(length).toArray());
            decoder.took(length);
        }
    }

    private static void assertStrict(byte[] input, Verdict verdict) {
        var strict = StrictGrammar.chunked(new String(input, StandardCharsets.ISO_8859_1));
        switch (verdict.outcome) {
            case LIMITED -> {}
            case REFUSED, INCOMPLETE -> assertEquals(java.util.Optional.empty(), strict);
            default -> {
                var read = strict.orElseThrow(() -> new AssertionError("not strict"));
                assertEquals(new Verdict(read.body(), read.trailers(), read.end()), verdict);
            }
        }
    }

    private static void assertWrittenIsRead(byte[] data) {
        var output = LoopOutput.aside(POOL);
        var random = new Random(Arrays.hashCode(data));
        for (int from = 0; from < data.length; ) {
            int length = 1 + random.nextInt(data.length - from);
            Chunks.begin(output, length);
            output.write(data, from, length);
            Chunks.end(output);
            from += length;
        }
        Chunks.last(output);
        var written = output.toBytes().toArray();
        output.release();
        assertEquals(
                new Verdict(new String(data, StandardCharsets.ISO_8859_1), "", written.length),
                parsed(written, new int[] {written.length / 2}));
    }
}
