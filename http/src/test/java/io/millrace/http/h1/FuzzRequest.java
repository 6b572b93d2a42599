package io.millrace.http.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.http.HttpLimits;
import io.millrace.http.fuzz.Cuts;
import io.millrace.http.fuzz.StrictGrammar;
import io.millrace.http.grammar.Target;
import io.millrace.memory.SlabPool;
import java.nio.charset.StandardCharsets;
import java.util.List;

/// Requests one behind the other, heads and bodies: wherever they are cut, the same of them are accepted, with the
/// same parts and up to the same byte; and they are those that the strict grammar has.
public final class FuzzRequest {
    /// Small enough to be reached.
    private static final HttpLimits LIMITS = HttpLimits.standard()
            .headBytes(700)
            .requestLineBytes(300)
            .fields(12)
            .bodyBytes(600);

    private static final SlabPool POOL = new SlabPool(16 << 20, true);

    private FuzzRequest() {}

    public static void fuzzerTestOneInput(byte[] input) {
        Verdicts whole = null;
        for (var cuts : Cuts.of(input)) {
            var verdicts = parsed(input, cuts);
            if (whole == null) {
                whole = verdicts;
                assertStrict(input, verdicts);
            }
            assertEquals(whole.messages, verdicts.messages);
            assertEquals(kinds(whole), kinds(verdicts));
            assertEquals(whole.closes(), verdicts.closes());
        }
        assertEquals(0, POOL.bytesOut());
    }

    /// A body in chunks that is too long and malformed is refused for either: chunks are taken many at a time, and
    /// what is malformed among them is seen before their data is counted.
    private static List<Integer> kinds(Verdicts verdicts) {
        return verdicts.statuses.stream()
                .map(status -> status == 413 ? 400 : status)
                .toList();
    }

    private static Verdicts parsed(byte[] input, int[] cuts) {
        var verdicts = new Verdicts(POOL, LIMITS);
        try {
            int from = 0;
            for (int to : cuts) {
                feed(verdicts, input, from, to);
                from = to;
            }
            feed(verdicts, input, from, input.length);
            return verdicts;
        } finally {
            verdicts.release();
        }
    }

    private static void feed(Verdicts verdicts, byte[] input, int from, int to) {
        int before = verdicts.messages.size();
        if (from < to) verdicts.feed(input, from, to);
        // Nothing is accepted later than with its last byte.
        for (var message : verdicts.messages.subList(before, verdicts.messages.size())) {
            assertTrue(message.end() > from && message.end() <= to, message::toString);
        }
    }

    private static void assertStrict(byte[] input, Verdicts verdicts) {
        var text = new String(input, StandardCharsets.ISO_8859_1);
        int from = 0;
        for (var message : verdicts.messages) {
            var strict = StrictGrammar.request(text, from).orElseThrow(() -> new AssertionError("not strict"));
            assertEquals(strict.end(), message.end());
            assertEquals(strict.method(), message.method());
            assertEquals(strict.fields(), message.fields());
            assertEquals(strict.body(), message.body());
            assertEquals(strict.trailers(), message.trailers());
            assertTarget(strict.first(), message.target());
            from = strict.end();
        }
        boolean hasAccepted = verdicts.closes() && verdicts.statuses.size() == verdicts.messages.size();
        int last = verdicts.statuses.isEmpty() ? 0 : verdicts.statuses.getLast();
        boolean isUnsaid = hasAccepted || (last != 0 && last != 200 && last != 400);
        var rest = text.substring(from);
        if (isUnsaid || StrictGrammar.mayBeLiteral(rest)) return;
        assertTrue(StrictGrammar.request(text, from).isEmpty(), "what is strict was refused, or waited for");
    }

    private static void assertTarget(String raw, Target target) {
        int mark = raw.indexOf('?');
        assertEquals(mark < 0 ? "" : raw.substring(mark + 1), target.query());
        var path = mark < 0 ? raw : raw.substring(0, mark);
        boolean isPlain = path.startsWith("/") && !path.contains("%") && !path.contains("//") && !path.contains("/.");
        if (isPlain) assertEquals(path, target.path());
        if (!target.path().equals("*"))
            assertEquals(target.path(), Target.parse(target.path()).path());
        assertTrue(!target.path().matches(".*(//|/\\.{1,2}(/|$)).*"), target::path);
    }
}
