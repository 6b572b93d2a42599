package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.testing.PemFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The originals of `docs/migrating.md`, and that its tables leave none of their lines out. What ours do is in
/// [MigratedFromNginxTest] and [MigratedFromHaproxyTest], and that they pass `--check` in [DocumentedCommandsTest].
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MigratingTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Pattern FILE = Pattern.compile("/(?:etc|run|srv|var)/[\\w./-]+");
    private static final Pattern PORT = Pattern.compile("(?<=listen )\\d+");

    @TempDir
    private Path folder;

    static List<MigratingDocument.SetUp> setUps() {
        return MigratingDocument.setUps();
    }

    @Test
    void there_are_eight_of_two_programs() {
        assertEquals(8, setUps().size());
        assertEquals(
                4, setUps().stream().filter(it -> it.program().equals("nginx")).count());
    }

    @ParameterizedTest
    @MethodSource("setUps")
    void no_line_of_an_original_is_without_an_answer(MigratingDocument.SetUp setUp) {
        var left = setUp.lines().stream()
                .filter(line -> setUp.answered().stream().noneMatch(words -> begins(line, words)))
                .toList();
        assertEquals(List.of(), left);
    }

    @ParameterizedTest
    @MethodSource("setUps")
    void no_answer_is_to_a_line_that_is_not_there(MigratingDocument.SetUp setUp) {
        var left = setUp.answered().stream()
                .filter(words -> setUp.lines().stream().noneMatch(line -> begins(line, words)))
                .toList();
        assertEquals(List.of(), left);
    }

    /// With these words, not in the middle of one.
    private static boolean begins(String line, String words) {
        return line.startsWith(words)
                && (line.length() == words.length() || " ;".indexOf(line.charAt(words.length())) >= 0);
    }

    @ParameterizedTest
    @MethodSource("setUps")
    void an_original_is_one_that_its_program_takes(MigratingDocument.SetUp setUp) throws Exception {
        var program = installed(setUp.program()).toString();
        var configuration = Files.writeString(folder.resolve("original"), here(setUp.original()));
        var command = setUp.program().equals("nginx")
                ? List.of(program, "-t", "-c", configuration.toString(), "-p", folder.toString())
                : List.of(program, "-c", "-f", configuration.toString());
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
        assertFalse(said.contains("[warn]") || said.contains("[WARNING]"), said);
    }

    /// @throws org.opentest4j.TestAbortedException where it is not installed
    static Path installed(String name) {
        return Machine.program(List.of(name))
                .or(() -> Optional.of(Path.of("/usr/sbin", name)).filter(Files::isExecutable))
                .orElseThrow(() -> Machine.lacks("there is no " + name));
    }

    /// With files of this test in place of its own, and free ports.
    private String here(String original) throws IOException {
        for (var name : FILE.matcher(original).results().map(MatchResult::group).toList())
            make(folder.resolve(name.substring(1)));
        var moved = FILE.matcher(original).replaceAll(file -> folder + file.group());
        var ports = new HashMap<String, Integer>();
        for (var port : PORT.matcher(moved).results().toList()) ports.put(port.group(), Machine.freePort());
        return PORT.matcher(moved).replaceAll(port -> "127.0.0.1:" + ports.get(port.group()));
    }

    private static void make(Path file) throws IOException {
        var parent = Objects.requireNonNull(file.getParent());
        Files.createDirectories(parent);
        var name = String.valueOf(file.getFileName());
        if (name.equals("mime.types")) Files.writeString(file, "types { text/html html; }\n");
        if (!name.endsWith(".pem") || Files.exists(file)) return;
        var files = PemFiles.make(parent, name.replaceFirst("(-key)?\\.pem$", ""), "a.example.org");
        // HAProxy wants both in one file.
        Files.writeString(files.chain(), Files.readString(files.key()), StandardOpenOption.APPEND);
    }
}
