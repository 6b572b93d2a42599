package io.millrace.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Measured in a process of its own, as a load generator is one: in this one other tests have taught the compiler
/// that every call has many targets.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class LoadAllocationTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    @ParameterizedTest
    @ValueSource(strings = {"echo", "http", "http2", "chunks"})
    void a_message_allocates_less_than_a_byte(String kind) throws Exception {
        var process =
                new ProcessBuilder(command(kind)).redirectErrorStream(true).start();
        try (var out = process.inputReader(UTF_8)) {
            var lines = out.lines().toList();
            assertEquals(0, process.waitFor(), lines::toString);
            double bytes = Double.parseDouble(lines.getLast());
            assertTrue(bytes < 1, bytes + " bytes for each message");
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> command(String kind) throws Exception {
        var command =
                new ArrayList<>(OwnJvm.command(MeasuredPeer.JVM_FLAGS, LoadAllocation.class.getName(), List.of(kind)));
        int classPath = command.indexOf("-cp") + 1;
        var file = LoadAllocation.class.getName().replace('.', '/') + ".class";
        var url = ClassLoader.getSystemResource(file).toString();
        var tests = Path.of(URI.create(url.substring(0, url.length() - file.length())));
        command.set(classPath, command.get(classPath) + ":" + tests);
        return command;
    }
}
