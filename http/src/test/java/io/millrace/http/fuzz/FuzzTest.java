package io.millrace.http.fuzz;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.Mutations;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// A short run of each target, the same each time: the seeds, and changes of them. `-Dmillrace.fuzz.rounds=N` makes
/// it longer, `-Dmillrace.fuzz.seed=N` another one; `make fuzz` runs a target guided by coverage.
@Tag("fuzz")
class FuzzTest {
    private static final int ROUNDS = Integer.getInteger("millrace.fuzz.rounds", 20_000);
    private static final long SEED = Long.getLong("millrace.fuzz.seed", 1);

    private static final int MOST_BYTES = 4096;
    private static final List<byte[]> PIECES = List.of(
            Escaped.bytes("\\r\\n"),
            Escaped.bytes("\\r\\n\\r\\n"),
            Escaped.bytes("\\n"),
            Escaped.bytes("\\r"),
            Escaped.bytes("\\0"),
            Escaped.bytes("\\xff"),
            Escaped.bytes(" "),
            Escaped.bytes("\\t"),
            Escaped.bytes(":"),
            Escaped.bytes(";"),
            Escaped.bytes(","),
            Escaped.bytes("="),
            Escaped.bytes("\""),
            Escaped.bytes("%2f"),
            Escaped.bytes("/../"),
            Escaped.bytes("0"),
            Escaped.bytes("7fffffff"),
            Escaped.bytes("Content-Length: 3\\r\\n"),
            Escaped.bytes("Transfer-Encoding: chunked\\r\\n"),
            Escaped.bytes("Host: a\\r\\n"),
            Escaped.bytes("\\r\\n0\\r\\n\\r\\n"),
            Escaped.bytes("\\r\\n--b"));

    @ParameterizedTest
    @EnumSource
    void seeds_have_the_properties_of_their_target(Targets target) throws IOException {
        assertTrue(target.seeds().size() >= 10, "few seeds");
        for (var seed : target.seeds()) check(target, seed);
    }

    @ParameterizedTest
    @EnumSource
    void changed_seeds_have_the_properties_of_their_target(Targets target) throws IOException {
        var mutations = new Mutations(SEED, target.seeds(), PIECES, MOST_BYTES);
        for (int i = 0; i < ROUNDS; i++) check(target, mutations.next());
    }

    private static void check(Targets target, byte[] input) {
        assertDoesNotThrow(
                () -> target.target.take(input),
                () -> "add this line to src/test/resources/fuzz/" + target.label() + ".txt: " + Escaped.text(input));
    }
}
