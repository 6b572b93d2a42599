package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Tcp;
import io.millrace.TransportKind;
import io.millrace.http.server.Http;
import io.millrace.testing.EndsChildren;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/// What a request costs the garbage collector on the loop: two small objects. Measured in a process of its own,
/// as a server is one.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class HttpAllocationTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final double MOST_BYTES = 100;

    @Test
    void a_request_for_a_constant_text_of_a_route_allocates_less_than_a_hundred_bytes() throws Exception {
        double bytes = bytesPerRequest(TransportKind.EPOLL);
        System.out.println("allocated per request: " + bytes + " bytes");
        assertTrue(bytes < MOST_BYTES, bytes + " bytes per request");
    }

    private static double bytesPerRequest(TransportKind kind) throws Exception {
        var classPath = folderOf(Tcp.class) + ":" + folderOf(Http.class) + ":" + folderOf(PlaintextCost.class);
        var child = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        classPath,
                        "--enable-native-access=ALL-UNNAMED",
                        "--add-opens",
                        "java.base/java.lang=ALL-UNNAMED",
                        PlaintextCost.class.getName(),
                        kind.name()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = child.inputReader(StandardCharsets.UTF_8)) {
            return Double.parseDouble(out.readLine());
        } finally {
            child.destroyForcibly().waitFor();
        }
    }

    /// The folder, or the jar, that a class comes from.
    private static Path folderOf(Class<?> type) throws Exception {
        var file = type.getName().replace('.', '/') + ".class";
        var found = type.getResource("/" + file).toURI();
        if (found.getScheme().equals("jar")) {
            var text = found.getSchemeSpecificPart();
            return Path.of(java.net.URI.create(text.substring(0, text.indexOf('!'))));
        }
        return Path.of(found).resolve("../".repeat(file.split("/", -1).length)).normalize();
    }
}
