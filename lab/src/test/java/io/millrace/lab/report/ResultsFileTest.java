package io.millrace.lab.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsFileTest {
    /// Of the last two figures of a moment.
    private static final String SECONDS =
            ",\\s*\"megabytesPerSecond\" : [^,]*,\\s*\"serverSwitchesPerSecond\" : [^\\s]*";

    private final Results results = SampleResults.of("millrace-direct");

    @Test
    void reads_what_it_wrote(@TempDir Path folder) throws IOException {
        var file = folder.resolve("results/of-today.json");
        ResultsFile.write(results, file);
        assertEquals(results, ResultsFile.read(file));
    }

    @Test
    void reads_names_of_any_characters() throws IOException {
        var odd = SampleResults.of("</script> \" \\ \u2028 ü 🚀\n");
        assertEquals(odd, ResultsFile.parse(ResultsFile.json(odd)));
    }

    @Test
    void refuses_another_format_with_its_number_and_what_to_do(@TempDir Path folder) throws IOException {
        var file = folder.resolve("future.json");
        Files.writeString(file, ResultsFile.json(results).replace("\"format\" : " + Results.FORMAT, "\"format\" : 7"));
        var refused = assertThrows(IOException.class, () -> ResultsFile.read(file));
        assertTrue(refused.toString().contains("future.json: format 7 is unknown"), refused.toString());
        assertTrue(refused.toString().contains("measure again"), refused.toString());
    }

    @Test
    void reads_files_from_before_the_lab_knew_http() throws IOException {
        var failed = SampleResults.round(100, SampleResults.SMALL, Optional.empty(), "1 errors, the first: reset");
        var fine = SampleResults.round(100, SampleResults.SMALL, Optional.empty(), "");
        var some = SampleResults.results(List.of(new Cell("mina", SampleResults.SMALL, List.of(failed, fine))));
        var written = new Results(
                Results.FORMAT, some.machine(), some.method(), some.cells(), some.problems(), some.idle(), List.of());
        var first = ResultsFile.json(written)
                .replace("\"format\" : " + Results.FORMAT, "\"format\" : 1")
                .replaceAll("\\s*\"(exchange|depth|failures|backend)\" : [^,]*,", "")
                .replaceAll(SECONDS, "")
                .replaceFirst(",\\s*\"firstUse\" : \\[ ]", "");
        assertFalse(first.contains("failures") || first.contains("firstUse"), first);
        assertEquals(withoutSeconds(written), withoutSeconds(ResultsFile.parse(first)));
    }

    @Test
    void reads_files_from_before_it_kept_the_75th_and_the_95th_percentile() throws IOException {
        var third = ResultsFile.json(results)
                .replace("\"format\" : " + Results.FORMAT, "\"format\" : 3")
                .replaceAll("\\s*\"p[79]5Micros\" : [^,]*,", "");
        assertFalse(third.contains("p75Micros"), third);
        var latency =
                ResultsFile.parse(third).cells().getFirst().rounds().getFirst().latency();
        assertTrue(Double.isNaN(latency.p95Micros()), latency::toString);
        assertEquals(results.cells().getFirst().rounds().getFirst().latency().p99Micros(), latency.p99Micros());
    }

    @Test
    void idle_connections_of_older_files_had_one_message() throws IOException {
        var fourth = ResultsFile.json(results)
                .replace("\"format\" : " + Results.FORMAT, "\"format\" : 4")
                .replaceAll("\\s*\"messages\" : 1,", "");
        assertFalse(fourth.contains("\"messages\""), fourth);
        assertEquals(results, ResultsFile.parse(fourth));
    }

    @Test
    void reads_files_from_before_the_lab_knew_proxies() throws IOException {
        var second = ResultsFile.json(results)
                .replace("\"format\" : " + Results.FORMAT, "\"format\" : 2")
                .replaceAll(SECONDS, "")
                .replaceAll("\\s*\"backend\" : [^,]*,", "");
        assertFalse(second.contains("backend") || second.contains("serverSwitches"), second);
        var read = ResultsFile.parse(second);
        var moment = read.cells().getFirst().rounds().getFirst().overTime().getFirst();
        assertTrue(Double.isNaN(moment.serverSwitchesPerSecond()), moment::toString);
        assertEquals(withoutSeconds(results), withoutSeconds(read));
    }

    /// Older files do not say all of a second.
    private static String withoutSeconds(Results some) throws IOException {
        return ResultsFile.json(some).replaceAll(SECONDS, "");
    }

    @Test
    void refuses_what_is_no_result() {
        for (var text : new String[] {"", "[]", "{}", "null", "{\"format\":1}", "{\"format\":\"1\"}", "no json", "{"}) {
            var refused = assertThrows(IOException.class, () -> ResultsFile.parse(text), text);
            assertTrue(refused.toString().contains("give a JSON file that `millrace lab` wrote"), refused.toString());
        }
    }

    @Test
    void refuses_a_file_in_which_a_figure_is_missing_or_unknown() throws IOException {
        var json = ResultsFile.json(results);
        for (var field : new String[] {"p99Micros", "messagesPerSecond", "cores", "overTime", "jvm"}) {
            var misspelt = json.replaceFirst("\"" + field + "\"", "\"misspelt\"");
            var refused = assertThrows(IOException.class, () -> ResultsFile.parse(misspelt), field);
            assertTrue(refused.toString().contains("not a result of the lab"), refused.toString());
        }
    }
}
