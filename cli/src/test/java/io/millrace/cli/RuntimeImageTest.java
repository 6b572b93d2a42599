package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.PemFiles;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// The runtime image: built, unpacked elsewhere, and used.
@Timeout(900)
@Tag("long")
@EnabledOnOs(OS.LINUX)
class RuntimeImageTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();
    private static final String USES_CACHE = "Using AOT-linked classes: true";

    @TempDir
    static Path folder;

    private static Path image;
    private static Path cache;
    private static Path kept;

    private record Run(int code, String out) {}

    @BeforeAll
    static void an_image_is_built_and_unpacked() throws Exception {
        var launcher = ROOT.resolve("millrace").toString();
        // Not where the build that runs this test has its classes.
        ok(
                launcher,
                "mvn",
                "-q",
                "-Dfast",
                "-Dmillrace.target=target/image",
                "-Dmaven.test.skip=true",
                "package",
                "cyclonedx:makeBom",
                "-pl",
                "cli",
                "-am");
        var built = folder.resolve("built");
        ok(
                ROOT.resolve("dist/build").toString(),
                System.getProperty("java.home"),
                built.toString(),
                ROOT.resolve("cli/target/image/lib").toString());
        var elsewhere = Files.createDirectories(folder.resolve("else where"));
        try (var archives = Files.newDirectoryStream(built, "*.tar.gz")) {
            for (var archive : archives) ok("tar", "-xzf", archive.toString(), "-C", elsewhere.toString());
        }
        ok("rm", "-r", built.toString());
        try (var unpacked = Files.list(elsewhere)) {
            image = unpacked.findFirst().orElseThrow();
        }
        cache = image.resolve("runtime/millrace.aot");
        kept = folder.resolve("kept.aot");
        ok("cp", "-a", cache.toString(), kept.toString());
    }

    @AfterEach
    void the_cache_is_back() throws Exception {
        ok("cp", "-a", kept.toString(), cache.toString());
    }

    private static String ok(String... command) throws IOException, InterruptedException {
        var run = run("", command);
        assertEquals(0, run.code, run.out);
        return run.out;
    }

    private static Run run(String flags, String... command) throws IOException, InterruptedException {
        var process = start(flags, command);
        var out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Run(process.waitFor(), out);
    }

    private static Process start(String flags, String... command) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("MILLRACE_AOT");
        builder.environment().put("MILLRACE_JAVA_OPTS", flags);
        return builder.start();
    }

    private static Run millrace(String flags, String... arguments) throws IOException, InterruptedException {
        return run(flags, command(arguments));
    }

    private static String[] command(String... arguments) {
        var command = new ArrayList<>(List.of(image.resolve("bin/millrace").toString()));
        command.addAll(List.of(arguments));
        return command.toArray(String[]::new);
    }

    private static void assertSaysTheVersionAlone(Run run) {
        assertEquals(0, run.code, run.out);
        assertTrue(run.out.matches("millrace \\S+\\R"), run.out);
    }

    @Test
    void the_cache_is_used_where_the_image_was_unpacked() throws Exception {
        assertSaysTheVersionAlone(millrace("", "--version"));
        var told = millrace("-Xlog:aot", "--version").out;
        assertTrue(told.contains(USES_CACHE), told);
    }

    @Test
    void it_starts_without_a_cache() throws Exception {
        Files.delete(cache);
        assertSaysTheVersionAlone(millrace("", "--version"));
    }

    @Test
    void it_starts_with_half_a_cache() throws Exception {
        try (var file = Files.newByteChannel(cache, StandardOpenOption.WRITE)) {
            file.truncate(file.size() / 2);
        }
        assertSaysTheVersionAlone(millrace("", "--version"));
    }

    @Test
    void it_starts_with_a_file_that_is_no_cache() throws Exception {
        Files.writeString(cache, "no cache");
        assertSaysTheVersionAlone(millrace("", "--version"));
    }

    @Test
    void it_starts_with_the_cache_of_another_runtime() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        ok(java, "-XX:+UseSerialGC", "-XX:+UseCompactObjectHeaders", "-XX:AOTCacheOutput=" + cache, "-version");
        assertSaysTheVersionAlone(millrace("", "--version"));
    }

    @Test
    void it_starts_with_flags_that_do_not_fit_the_cache() throws Exception {
        assertSaysTheVersionAlone(millrace("-XX:-UseSerialGC -XX:+UseG1GC", "--version"));
        assertSaysTheVersionAlone(millrace("-XX:-UseCompactObjectHeaders", "--version"));
    }

    @Test
    void it_serves_and_writes_nothing_into_its_folder() throws Exception {
        var before = dates();
        var server = start("", command("http", "--listen", "127.0.0.1:0"));
        try (var out = server.inputReader();
                var client = HttpClient.newHttpClient()) {
            var address = out.readLine().substring(Program.LISTENING.length());
            var page = HttpRequest.newBuilder(URI.create("http://" + address + "/plaintext"))
                    .build();
            assertEquals(
                    "Hello, World!", client.send(page, BodyHandlers.ofString()).body());
            server.toHandle().destroy();
            assertEquals(0, server.waitFor());
        }
        assertEquals(before, dates());
    }

    private static Map<String, String> dates() throws IOException {
        var dates = new TreeMap<String, String>();
        try (var files = Files.walk(image)) {
            for (var file : files.toList())
                dates.put(file.toString(), Files.getLastModifiedTime(file).toString());
        }
        return dates;
    }

    @Test
    void its_examples_are_right() throws Exception {
        var examples = image.resolve("share/examples");
        var identity = PemFiles.make(folder, "example", "www.example.com");
        Files.copy(identity.chain(), examples.resolve("fullchain.pem"));
        Files.copy(identity.key(), examples.resolve("key.pem"));
        try (var files = Files.newDirectoryStream(examples, "*.yaml")) {
            for (var file : files) ok(command("proxy", "--config", file.toString(), "--check"));
        }
    }

    @Test
    void what_comes_with_it_is_there() throws Exception {
        ok(
                "bash",
                "-n",
                image.resolve("share/bash-completion/completions/millrace").toString());
        assertTrue(Files.readString(image.resolve("share/proxy.schema.json")).startsWith("{"));
        assertTrue(Files.readString(image.resolve("share/man/man1/millrace-load-http.1"))
                .contains("\\-\\-connections"));
        var materials = Files.readString(image.resolve("share/sbom.cdx.json"));
        for (var name : List.of("pkg:maven/io.millrace/millrace-proxy@", "pkg:maven/info.picocli/picocli@"))
            assertTrue(materials.contains(name), name);
        for (var name : List.of("LICENSE", "THIRD-PARTY.md", "runtime/legal/java.base"))
            assertTrue(Files.exists(image.resolve(name)), name);
    }

    @Test
    void its_health_command_tells_whether_a_server_answers() throws Exception {
        var server = start("", command("http", "--listen", "127.0.0.1:0"));
        try (var out = server.inputReader()) {
            var url = "http://" + out.readLine().substring(Program.LISTENING.length());
            assertEquals(0, millrace("", "health", url + "/plaintext").code);
            assertEquals(1, millrace("", "health", url + "/nothing").code);
            server.toHandle().destroy();
            assertEquals(0, server.waitFor());
            assertEquals(1, millrace("", "health", url).code);
        }
    }

    @Test
    void the_lab_says_that_it_is_not_for_an_image() throws Exception {
        var run = millrace("", "lab", "pingpong");
        assertEquals(2, run.code, run.out);
        assertEquals(1, run.out.lines().count(), run.out);
    }
}
