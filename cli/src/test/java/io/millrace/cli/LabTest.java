package io.millrace.cli;

import static io.millrace.cli.LabProgram.SHORT;
import static io.millrace.cli.LabProgram.lab;
import static io.millrace.cli.LabProgram.only;
import static io.millrace.cli.LabProgram.results;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.Waiting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class LabTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @Test
    void measures_peers_in_turns_and_writes_what_it_found(@TempDir Path folder) throws Exception {
        try (var lab = lab("pingpong --peers millrace-nio,millrace-nio-direct --sizes 64,1k " + SHORT, folder)) {
            var said = String.join("\n", lab.rest());
            assertEquals(0, lab.exitCode(), () -> said + lab.err());
            assertTrue(said.contains("# Lab: pingpong"), said);
            var results = results(folder);
            assertEquals(List.of(), results.problems());
            assertEquals(4, results.cells().size());
            for (var cell : results.cells()) {
                assertEquals(2, cell.validRounds().size(), cell::toString);
                for (var round : cell.rounds()) {
                    assertTrue(round.messagesPerSecond() > 0, cell::toString);
                    assertTrue(round.serverCpuMicrosPerMessage() > 0, cell::toString);
                    assertTrue(round.jvm().orElseThrow().heapUsedBytes() > 0, cell::toString);
                }
            }
            assertTrue(Files.readString(only(folder, ".html")).endsWith("</html>\n"));
        }
    }

    @Test
    void a_server_that_answers_something_else_is_a_problem(@TempDir Path folder) throws Exception {
        var folderOfFiles = Files.createDirectory(folder.resolve("root"));
        Files.writeString(folderOfFiles.resolve("plaintext"), "Hello, World?");
        var java = Path.of(System.getProperty("java.home"), "bin", "java");
        var other = "other=" + java + " -m jdk.httpserver -b {host} -p {port} -d " + folderOfFiles;
        var words = ("lab close --peers millrace-nio " + SHORT + " --output " + folder).split(" ", -1);
        var all = Stream.concat(Stream.of(words), Stream.of("--extra", other)).toArray(String[]::new);
        try (var lab = Program.start(all)) {
            lab.rest();
            assertEquals(0, lab.exitCode(), lab::err);
            var problem = results(folder).problems().getFirst();
            assertEquals("other", problem.peer());
            assertTrue(problem.what().contains("is wrong from byte 12"), problem::what);
        }
    }

    @Test
    void reports_a_peer_that_does_not_start_and_goes_on(@TempDir Path folder) throws Exception {
        try (var lab = lab("executor --peers millrace-nio-direct --sizes 64 --extra broken=false " + SHORT, folder)) {
            var said = lab.rest();
            assertEquals(0, lab.exitCode(), () -> said + lab.err());
            var results = results(folder);
            assertEquals(1, results.cells().size());
            assertEquals("broken", results.problems().getFirst().peer());
            assertTrue(said.stream().anyMatch(line -> line.contains("| broken ")), said::toString);
        }
    }

    @Test
    void counts_what_an_idle_connection_costs(@TempDir Path folder) throws Exception {
        try (var lab = lab("idle --peers millrace-nio --connections 1000", folder)) {
            assertTrue(lab.rest().stream().anyMatch(line -> line.contains("| millrace-nio ")));
            assertEquals(0, lab.exitCode(), lab::err);
            var idle = results(folder).idle().getFirst();
            assertEquals(1000, idle.connections());
            assertTrue(idle.heapBytesEach() > 0 && idle.heapBytesEach() < 100_000, idle::toString);
        }
    }

    @Test
    void leaves_no_process_behind_when_it_is_ended(@TempDir Path folder) throws Exception {
        try (var lab = lab("executor --peers millrace-nio-direct,millrace-nio-pool --sizes 64 --seconds 600", folder)) {
            var children = awaitChildren(lab, 3);
            lab.terminate();
            lab.exitCode();
            for (var child : children) child.onExit().join();
            assertEquals(
                    List.of(), children.stream().filter(ProcessHandle::isAlive).toList());
        }
    }

    /// The load generator and the servers.
    private static List<ProcessHandle> awaitChildren(Program lab, int count) {
        while (true) {
            var children =
                    ProcessHandle.of(lab.pid()).orElseThrow().descendants().toList();
            if (children.size() >= count) return children;
            Waiting.briefly();
        }
    }

    @Test
    void lists_workloads_and_peers_and_says_what_is_missing() throws Exception {
        try (var lab = Program.start("lab", "list")) {
            var lines = lab.rest();
            assertEquals(0, lab.exitCode(), lab::err);
            assertTrue(lines.stream().anyMatch(line -> line.matches(" +pingpong +echo .*")), lines::toString);
            assertTrue(lines.stream().anyMatch(line -> line.matches(" +close +HTTP, .*")), lines::toString);
            assertTrue(lines.contains("peers of close, plaintext"), lines::toString);
            assertTrue(
                    lines.stream().anyMatch(line -> line.matches(" +millrace-epoll-virtual +available")),
                    lines::toString);
            assertTrue(
                    lines.stream().anyMatch(line -> line.matches(" +millrace-epoll-direct +available")),
                    lines::toString);
            assertTrue(lines.stream().anyMatch(line -> line.matches(" +mina +is not built: .*")), lines::toString);
        }
    }

    @Test
    void compares_two_results(@TempDir Path folder) throws Exception {
        try (var lab = lab("executor --peers millrace-nio-direct --sizes 64 " + SHORT, folder)) {
            assertEquals(0, lab.exitCode(), lab::err);
        }
        var file = only(folder, ".json").toString();
        try (var compare = Program.start("lab", "compare", file, file)) {
            var said = compare.rest();
            assertEquals(0, compare.exitCode(), compare::err);
            assertTrue(said.contains("0 of 2 figures changed beyond noise."), said::toString);
            assertFalse(said.stream().anyMatch(line -> line.contains(" differs: ")), said::toString);
        }
    }
}
