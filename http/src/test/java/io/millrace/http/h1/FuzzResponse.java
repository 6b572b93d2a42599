package io.millrace.http.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bytes.Input;
import io.millrace.http.HttpLimits;
import io.millrace.http.fuzz.Cuts;
import io.millrace.http.fuzz.StrictGrammar;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.memory.Arrivals;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SlabPool;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A response with interim ones in front of it, as a client reads it: the same parts wherever it is cut, up to the
/// same byte, and those of the strict grammar. The first byte says whether it answers HEAD.
public final class FuzzResponse {
    private static final HttpLimits LIMITS =
            HttpLimits.standard().headBytes(700).requestLineBytes(200).fields(12);
    private static final int MOST_INTERIM = 3;
    private static final SlabPool POOL = new SlabPool(16 << 20, true);

    private FuzzResponse() {}

    /// @param outcome refused, incomplete, or complete
    private record Verdict(String outcome, int status, String fields, String body, String trailers, long end) {}

    public static void fuzzerTestOneInput(byte[] input) throws Exception {
        if (input.length == 0) return;
        boolean isToHead = input[0] == 'H';
        var bytes = Arrays.copyOfRange(input, 1, input.length);
        Verdict whole = null;
        for (var cuts : Cuts.of(bytes)) {
            var verdict = new Reading(isToHead).parsed(bytes, cuts);
            if (whole == null) {
                whole = verdict;
                assertStrict(bytes, isToHead, verdict);
            }
            // Of what is refused, some data may have been given already.
            if (whole.outcome.startsWith("refused")) assertEquals(whole.outcome, verdict.outcome);
            else assertEquals(whole, verdict);
        }
        assertEquals(0, POOL.bytesOut());
    }

    private static void assertStrict(byte[] bytes, boolean isToHead, Verdict verdict) {
        var text = new String(bytes, StandardCharsets.ISO_8859_1);
        var strict = StrictGrammar.response(text, isToHead, MOST_INTERIM);
        switch (verdict.outcome) {
            case "refused by a limit" -> {}
            case "complete" -> {
                var read = strict.orElseThrow(() -> new AssertionError("not strict"));
                assertEquals(read.first(), String.valueOf(verdict.status));
                assertEquals(read.fields(), verdict.fields);
                assertEquals(read.body(), verdict.body);
                assertEquals(read.trailers(), verdict.trailers);
                assertEquals(read.end(), verdict.end);
            }
            default -> assertTrue(strict.isEmpty(), "what is strict was refused, or waited for");
        }
    }

    /// What a client does with the bytes, without its connection.
    private static final class Reading {
        private final boolean isToHead;
        private final Arrivals arrivals = new Arrivals(POOL);
        private final StatusHead head = new StatusHead(LIMITS);
        private final HeadReader<StatusHead> heads = new HeadReader<>(head, LIMITS, new byte[0]);
        private final ByteArrayOutputStream data = new ByteArrayOutputStream();
        private int interim;
        private String fields = "";
        private @Nullable IncomingBody body;
        private boolean isUntilEnd;
        private boolean isComplete;

        Reading(boolean isToHead) {
            this.isToHead = isToHead;
        }

        Verdict parsed(byte[] bytes, int[] cuts) throws Exception {
            try {
                int from = 0;
                for (int i = 0; i <= cuts.length && !isComplete; i++) {
                    int to = i < cuts.length ? cuts[i] : bytes.length;
                    if (from < to) read(arrivals.receive(bytes, from, to));
                    arrivals.endLoan();
                    from = to;
                }
                if (isComplete || isUntilEnd) return verdict("complete");
                return new Verdict("incomplete", 0, "", "", "", 0);
            } catch (Refusal e) {
                boolean isLimit = e.guard() != null
                        || String.valueOf(e.getMessage()).matches(".*without an end.*|a chunk's line of more.*");
                return new Verdict(isLimit ? "refused by a limit" : "refused", 0, "", "", "", 0);
            } finally {
                if (body != null) body.release(POOL);
                arrivals.release();
            }
        }

        private Verdict verdict(String outcome) {
            var trailers = body == null ? "" : Verdicts.lines(body.trailers());
            var text = data.toString(StandardCharsets.ISO_8859_1);
            return new Verdict(outcome, head.status(), fields, text, trailers, arrivals.read());
        }

        private void read(LoopInput in) throws Exception {
            if (body == null) readHead(in);
            if (body == null) return;
            do isComplete = body.feed(in, this::keep, POOL);
            while (!isComplete && body.hasEnoughForNow());
        }

        private void keep(Input part) {
            data.writeBytes(part.readBytes(part.remaining()).toArray());
        }

        private void readHead(LoopInput in) throws Refusal {
            heads.open(in, true);
            try {
                while (heads.next(in)) {
                    if (head.status() == 101) throw new Refusal(502, "another protocol");
                    if (head.status() >= 200) {
                        gotHead();
                        return;
                    }
                    if (++interim > MOST_INTERIM) throw new Refusal(502, "too many");
                    heads.done();
                }
            } finally {
                heads.close(in);
            }
        }

        private void gotHead() {
            fields = Verdicts.lines(head.headers());
            long length = head.mayHaveBody() && !isToHead ? head.contentLength() : 0;
            isComplete = length == 0;
            isUntilEnd = length == StatusHead.UNTIL_END;
            if (!isComplete) body = IncomingBody.ofResponse(isUntilEnd ? Long.MAX_VALUE : length, LIMITS);
        }
    }
}
