package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// How floors are compiled and tried. The sources here are shell scripts, and the compiler is one that copies them.
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FloorsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final String LISTENS = """
            #!/bin/sh
            echo "listening on $2:$1"
            exec sleep 600
            """;
    private static final String COPIES = """
            #!/bin/sh
            echo "$4" >> "${0%/*}/compiled"
            cp "$4" "$3" && chmod +x "$3"
            """;

    @TempDir
    private Path home;

    private Path compiler = Path.of("cc");

    @BeforeEach
    void aHomeWithSourcesAndACompiler() throws IOException {
        compiler = home.resolve("cc");
        script(compiler, COPIES);
        Files.createDirectories(home.resolve("bench"));
        Files.writeString(source("echo_epoll"), LISTENS);
        Files.writeString(source("echo_uring"), LISTENS);
    }

    private Path source(String program) {
        return home.resolve("bench").resolve(program + ".c");
    }

    private static void script(Path file, String text) throws IOException {
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private List<Floor> floors() throws InterruptedException {
        return new Floors(home, compiler.toString()).all();
    }

    @Test
    void those_that_listen_are_ready() throws Exception {
        var folder = home.resolve(".millrace/floors");
        assertEquals(
                List.of(
                        new Floor.Ready("c-epoll", List.of(folder + "/echo_epoll", "{port}", "{host}")),
                        new Floor.Ready("c-io_uring", List.of(folder + "/echo_uring", "{port}", "{host}"))),
                floors());
    }

    @Test
    void are_compiled_again_only_when_the_source_is_newer() throws Exception {
        floors();
        floors();
        assertEquals(List.of(source("echo_epoll"), source("echo_uring")), compiled());
        var later = Files.getLastModifiedTime(source("echo_uring")).toInstant().plus(Duration.ofMinutes(1));
        Files.setLastModifiedTime(source("echo_uring"), FileTime.from(later));
        floors();
        assertEquals(List.of(source("echo_epoll"), source("echo_uring"), source("echo_uring")), compiled());
    }

    private List<Path> compiled() throws IOException {
        return Files.readAllLines(home.resolve("compiled")).stream()
                .map(Path::of)
                .toList();
    }

    @Test
    void without_a_compiler_both_are_absent() throws Exception {
        Files.delete(compiler);
        for (var floor : floors()) {
            assertEquals("there is no C compiler: no " + compiler + " on the PATH", reason(floor));
        }
    }

    private static String reason(Floor floor) {
        return assertInstanceOf(Floor.Absent.class, floor).reason();
    }

    @Test
    void the_reason_of_one_that_does_not_compile_is_the_first_error() throws Exception {
        script(compiler, """
                #!/bin/sh
                echo "echo.c: In function 'main':" >&2
                echo "echo.c:3:1: error: expected ';'" >&2
                echo "echo.c:4:1: error: expected '}'" >&2
                exit 1
                """);
        assertEquals("the C compiler ended with 1: echo.c:3:1: error: expected ';'", reason(floors().getFirst()));
        try (var left = Files.list(home.resolve(".millrace/floors"))) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void the_reason_of_one_that_does_not_start_is_what_it_said() throws Exception {
        Files.writeString(source("echo_uring"), """
                #!/bin/sh
                echo "echo_uring: this kernel has no io_uring" >&2
                exit 1
                """);
        var floors = floors();
        assertInstanceOf(Floor.Ready.class, floors.getFirst());
        assertEquals("echo_uring: this kernel has no io_uring", reason(floors.getLast()));
    }

    @Test
    void one_that_ends_without_a_word_is_absent() throws Exception {
        Files.writeString(source("echo_epoll"), "#!/bin/sh\nexit 3\n");
        var reason = reason(floors().getFirst());
        assertTrue(reason.endsWith("echo_epoll printed nothing and ended with 3"), reason);
    }

    @Test
    void one_without_a_source_is_absent() throws Exception {
        Files.delete(source("echo_epoll"));
        assertEquals("its source " + source("echo_epoll") + " is missing", reason(floors().getFirst()));
    }

    @Test
    void what_was_started_to_try_it_is_gone_afterwards() throws Exception {
        Files.writeString(source("echo_epoll"), """
                #!/bin/sh
                echo $$ > "${0%/*}/pid"
                echo "listening on $2:$1"
                exec sleep 600
                """);
        assertInstanceOf(Floor.Ready.class, floors().getFirst());
        var pid = Long.parseLong(
                Files.readString(home.resolve(".millrace/floors/pid")).strip());
        ProcessHandle.of(pid).ifPresent(process -> process.onExit().join());
        assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
    }
}
