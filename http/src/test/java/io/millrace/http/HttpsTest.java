package io.millrace.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Server;
import io.millrace.TransportKind;
import io.millrace.http.door.AnyDispatch;
import io.millrace.testing.EndsChildren;
import io.millrace.testing.Machine;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// HTTP/1.1 over TLS, asked by `curl`.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class HttpsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final TlsIdentity IDENTITY = TlsIdentity.selfSigned("localhost");
    private static final int LARGE_BYTES = 3_000_000;

    @TempDir
    private Path folder;

    @BeforeEach
    void curlIsThere() {
        if (Machine.program(List.of("curl")).isEmpty()) throw Machine.lacks("there is no curl on the PATH");
    }

    private String curl(String... arguments) throws Exception {
        var trusted = Files.writeString(folder.resolve("ca.pem"), IDENTITY.toPem());
        var command = new ArrayList<>(List.of("curl", "-sS", "--ipv4", "--cacert", trusted.toString()));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertTrue(process.waitFor(10, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), said);
        return said;
    }

    @ParameterizedTest
    @EnumSource(names = {"NIO", "EPOLL", "URING"})
    void curl_is_answered_wherever_handlers_run(TransportKind transport) throws Exception {
        HttpHandler app = request -> switch (request.path()) {
            case "/large" -> Response.ok("x".repeat(LARGE_BYTES));
            default -> Response.ok("hello");
        };
        var body = Files.writeString(folder.resolve("body"), "y".repeat(LARGE_BYTES));
        for (var dispatch : List.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2))) {
            try (var loops = Serving.setup(transport).threads(1).start();
                    var server = serve(loops, dispatch, app)) {
                var url = "https://localhost:" + server.port();
                assertEquals("hello", curl(url + "/"));
                assertEquals(LARGE_BYTES, curl(url + "/large").length());
                assertEquals("hello", curl("--data-binary", "@" + body, "-H", "Expect:", url + "/"));
                // One connection for all of them.
                var many = curl("-w", "%{num_connects}\n", "-o", "/dev/null", url + "/[1-5]");
                assertEquals("1\n0\n0\n0\n0\n", many);
                assertEquals("hello", curl("--tls-max", "1.2", url + "/"));
            }
        }
    }

    private static Server serve(EventLoops loops, Dispatch dispatch, HttpHandler app) {
        var limits = HttpLimits.standard().bodyBytes(2L * LARGE_BYTES);
        return AnyDispatch.serve(
                Serving.free(loops).through(Tls.server(IDENTITY).speaking("http/1.1")), dispatch, limits, app);
    }
}
