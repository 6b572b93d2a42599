package io.millrace.http.h1;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.SlabPool;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The corpus, given to the parser directly.
class CorpusParserTest {
    private static final int ALL_SPLITS = 700;
    private static final int SOME_SPLITS = 997;

    private final SlabPool pool = new SlabPool(64 << 20, true);

    static List<CorpusCase> cases() {
        return CorpusCase.all();
    }

    @AfterEach
    void every_slab_came_home() {
        assertEquals(0, pool.bytesOut());
    }

    @Test
    void there_are_hundreds_of_cases() {
        assertTrue(cases().size() >= 200, () -> cases().size() + " cases");
    }

    @ParameterizedTest
    @MethodSource("cases")
    void in_one_piece(CorpusCase request) {
        check(request, request.bytes().length);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void in_two_pieces_wherever_they_are_cut(CorpusCase request) {
        int length = request.bytes().length;
        IntStream.range(1, length)
                .filter(at -> at < ALL_SPLITS || at > length - 100 || at % SOME_SPLITS == 0)
                .forEach(at -> check(request, at));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void byte_by_byte(CorpusCase request) {
        var verdicts = new Verdicts(pool);
        for (int i = 0; i < request.bytes().length; i++) verdicts.feed(request.bytes(), i, i + 1);
        check(request, verdicts, "byte by byte");
    }

    private void check(CorpusCase request, int cut) {
        var verdicts =
                new Verdicts(pool).feed(request.bytes(), 0, cut).feed(request.bytes(), cut, request.bytes().length);
        check(request, verdicts, "cut at " + cut);
    }

    private static void check(CorpusCase request, Verdicts verdicts, String how) {
        if (request.ends()) verdicts.end();
        try {
            assertEquals(request.statuses(), verdicts.statuses, how);
            assertEquals(request.closes(), verdicts.closes(), how);
            if (!request.paths().isEmpty()) assertEquals(request.paths(), verdicts.paths, how);
            if (request.body() != null) assertArrayEquals(request.body(), verdicts.lastBody, how);
        } finally {
            verdicts.release();
        }
    }
}
