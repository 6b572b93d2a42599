package io.millrace.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.abort;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.testing.Machine;
import io.millrace.testing.Peers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The test suite of Autobahn for WebSockets, a program in Python 2.7.
final class Autobahn {
    private static final String AGENT = "millrace";
    private static final List<String> CASES =
            List.of(System.getProperty("millrace.autobahn", "*").split(",", -1));

    private final Path folder;
    private final List<String> program;

    private Autobahn(Path folder, List<String> program) {
        this.folder = folder;
        this.program = program;
    }

    /// Skips the test where there is no Python 2.7: few machines have it.
    ///
    /// @param name of the folder in `target/autobahn` for what it says and reports
    static Autobahn installed(String name) throws IOException, InterruptedException {
        var python = python().orElseGet(() -> abort("there is no Python 2.7"));
        var folder = Files.createDirectories(Path.of("target", "autobahn", name).toAbsolutePath());
        Files.deleteIfExists(folder.resolve("report/index.json"));
        var site = Peers.python2(python, "autobahntestsuite-25.10.1", "autobahntestsuite==25.10.1");
        // Namespaces of Python 2.7 are found in folders that are sites.
        var program = "import site; site.addsitedir('" + site + "'); from autobahntestsuite.wstest import run; run()";
        return new Autobahn(folder, List.of(python.toString(), "-c", program));
    }

    /// One of the system, or of pyenv.
    private static Optional<Path> python() throws IOException {
        var versions = Path.of(System.getProperty("user.home"), ".pyenv/versions");
        if (!Files.isDirectory(versions)) return Machine.program(List.of("python2.7"));
        try (var all = Files.newDirectoryStream(versions, "2.7*")) {
            for (var one : all) {
                var python = one.resolve("bin/python2.7");
                if (Files.isExecutable(python)) return Optional.of(python);
            }
        }
        return Machine.program(List.of("python2.7"));
    }

    /// Its clients ask a server.
    void ask(int port) throws IOException, InterruptedException {
        var servers = List.of(Map.of("agent", AGENT, "url", "ws://127.0.0.1:" + port + "/echo"));
        var command = Peers.with(program, "-m", "fuzzingclient", "-s", specification(Map.of("servers", servers)));
        var output = folder.resolve("output");
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        if (process.waitFor() != 0) throw new IOException(Files.readString(output));
    }

    /// Its server waits for clients.
    OtherProxy serve() throws IOException {
        int port = Machine.freePort();
        var specification = specification(Map.of("url", "ws://127.0.0.1:" + port));
        return OtherProxy.program(
                folder, port, Peers.with(program, "-m", "fuzzingserver", "--webport", "0", "-s", specification));
    }

    private String specification(Map<String, ?> more) throws IOException {
        var all = new TreeMap<String, Object>(more);
        all.put("outdir", folder.resolve("report").toString());
        all.put("cases", CASES);
        all.put("exclude-cases", List.of());
        all.put("exclude-agent-cases", Map.of());
        var file = folder.resolve("specification.json");
        return Files.writeString(file, new ObjectMapper().writeValueAsString(all), UTF_8)
                .toString();
    }

    /// For the address of a case, and of the report.
    static String agent() {
        return "agent=" + AGENT;
    }

    /// What became of each case: the verdict, and that of how the connection ended.
    Map<String, String> verdicts() throws IOException {
        var report =
                new ObjectMapper().readTree(folder.resolve("report/index.json").toFile());
        var all = new TreeMap<String, String>();
        for (var one : report.get(AGENT).properties()) {
            var about = one.getValue();
            all.put(
                    one.getKey(),
                    about.get("behavior").asText() + ", "
                            + about.get("behaviorClose").asText());
        }
        return all;
    }
}
