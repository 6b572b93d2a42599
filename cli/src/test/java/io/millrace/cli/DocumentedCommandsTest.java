package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import io.millrace.testing.PemFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What the README and the documents tell people to type: each line of each block marked `sh`, and each configuration
/// of the proxy. A command runs with a free port in place of its own, files of this test in place of those it names,
/// and a second in place of its seconds; what cannot run here is listed with the reason, and its options are read at
/// least. `docs/install.md` is about the image: `make try-new` runs its commands, and the others once more.
@Tag("slow")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DocumentedCommandsTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..").normalize();
    private static final Pattern COMMANDS = block("sh");
    private static final Pattern CONFIGURATIONS = block("yaml");
    private static final List<String> ENDS_BY_ITSELF = List.of("--check", "--convert", "--schema");
    private static final String ANY_PORT = "127.0.0.1:0";

    /// Beginnings of lines that nothing here runs, and why.
    private static final Map<String, String> NOT_RUN = Map.of(
            "./millrace test", "it is what runs this test",
            "./millrace mvn", "a build within the build; CI runs the launcher's own build",
            "./millrace demo", "it listens on ports of its own and goes on until Ctrl-C: DemoTest runs it",
            "./millrace lab", "it takes minutes: LabTest and its like run each workload in small, and list and compare",
            "./millrace doctor", "its exit code is that of the machine: DoctorTest runs it",
            "./millrace proxy --hash-password", "it asks a person: PasswordPromptTest answers",
            "./millrace health", "it takes a server",
            "java ", "it takes the build of the line above it: RealtimeTest runs the program",
            "mkdir", "it takes root: HotRestartTest has a folder of its own",
            "curl", "it takes a proxy on the port of the guide: AdminTest sends the same requests");

    @TempDir
    private Path folder;

    private PemFiles certificate;

    @BeforeEach
    void thereAreTheFilesThatCommandsName() throws IOException {
        certificate = PemFiles.make(folder, "server", "localhost", "127.0.0.1");
        Files.createDirectory(folder.resolve("public"));
        Files.writeString(folder.resolve("public/missing.html"), "<p>There is no such page.");
        Files.writeString(folder.resolve("proxy.yaml"), """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {respond: {status: 200}}}
                """);
        Files.copy(folder.resolve("proxy.yaml"), folder.resolve("old.yaml"));
    }

    private static Pattern block(String language) {
        return Pattern.compile("^```" + language + "\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);
    }

    static Set<String> commands() throws IOException {
        var lines = new LinkedHashSet<String>();
        for (var block : blocks(COMMANDS, "install.md")) {
            block.lines()
                    .map(DocumentedCommandsTest::withoutShell)
                    .filter(line -> !line.isEmpty())
                    .forEach(lines::add);
        }
        return lines;
    }

    /// Without its comment, where its output goes, and that it goes on in the background.
    private static String withoutShell(String line) {
        return line.replaceAll("\\s+#.*", "")
                .replaceAll("\\s+> \\S+$", "")
                .replaceAll("\\s*&$", "")
                .strip();
    }

    @ParameterizedTest
    @MethodSource("commands")
    void a_command_of_the_documents_does_what_it_says(String command) throws Exception {
        if (command.equals("source <(./millrace generate-completion)")) {
            assertEquals(0, here("generate-completion"));
            return;
        }
        var reason = NOT_RUN.keySet().stream().filter(command::startsWith).findFirst();
        var words = words(command);
        assertTrue(words.getFirst().equals("./millrace") || reason.isPresent(), command);
        if (reason.isEmpty()) run(words.subList(1, words.size()));
        else if (isOurs(words)) read(words.subList(1, words.size()));
    }

    private static boolean isOurs(List<String> words) {
        return words.getFirst().equals("./millrace") && !Set.of("test", "mvn").contains(words.get(1));
    }

    @Test
    void what_does_not_run_is_still_in_the_documents() throws IOException {
        var all = commands();
        for (var beginning : NOT_RUN.keySet()) {
            assertTrue(all.stream().anyMatch(line -> line.startsWith(beginning)), beginning);
        }
    }

    /// Its options exist and have values that they take.
    private static void read(List<String> words) {
        var arguments = words.toArray(String[]::new);
        var parsed = Main.commandLine(arguments).parseArgs(arguments);
        assertTrue(parsed.errors().isEmpty(), () -> words + ": " + parsed.errors());
    }

    private void run(List<String> words) throws Exception {
        var command = new ArrayList<String>();
        for (int i = 0; i < words.size(); i++)
            command.add(i == 0 ? words.getFirst() : placed(words.get(i - 1), words.get(i)));
        if (ENDS_BY_ITSELF.stream().anyMatch(words::contains)) {
            assertEquals(0, here(command.toArray(String[]::new)));
            return;
        }
        switch (words.getFirst()) {
            case "load" -> load(command);
            case "echo", "http", "proxy" -> serve(command);
            default -> throw new AssertionError("say how to run " + words);
        }
    }

    /// What stands for a word of a command here, by the option in front of it.
    private String placed(String option, String word) {
        return switch (option) {
            case "--listen", "--tls-listen" ->
                word.startsWith("unix:") ? "unix:" + folder.resolve("echo.sock") : ANY_PORT;
            case "--cert" -> certificate.chain().toString();
            case "--key" -> certificate.key().toString();
            case "--config", "--convert", "--json", "--root" ->
                folder.resolve(word).toString();
            case "--seconds" -> "1";
            case "--rate" -> "100";
            default -> word;
        };
    }

    /// It says where it listens, and ends well.
    private static void serve(List<String> command) throws Exception {
        try (var server = Program.start(command.toArray(String[]::new))) {
            server.listening();
            server.terminate();
            assertEquals(0, server.exitCode(), server::err);
        }
    }

    /// Against the server that the document has in mind.
    private static void load(List<String> command) throws Exception {
        var target = command.stream()
                .filter(word -> word.matches("(https?|wss?)://.*"))
                .findFirst();
        try (var server = Program.start(server(target))) {
            var address = server.listening();
            var here = new ArrayList<>(command);
            here.replaceAll(word ->
                    word.equals("127.0.0.1:7007") ? address : word.replaceFirst("127\\.0\\.0\\.1:8\\d+", address));
            int stages = here.indexOf("--stages") + 1;
            if (stages > 0) here.set(stages, here.get(stages).replaceAll(":\\d+", ":1"));
            else if (!here.contains("--seconds")) here.addAll(List.of("--seconds", "1"));
            here.addAll(List.of("--warm-up", "0"));
            try (var load = Program.start(here.toArray(String[]::new))) {
                var said = load.rest();
                int code = load.exitCode();
                // A machine that is busy makes an open loop late, which it says.
                boolean isLate = said.stream().anyMatch(line -> line.startsWith("invalid "));
                assertEquals(isLate ? 1 : 0, code, () -> said + load.err());
                assertFalse(said.isEmpty(), command::toString);
            }
        }
    }

    private static String[] server(Optional<String> url) {
        if (url.isEmpty()) return new String[] {"echo", "--listen", ANY_PORT};
        return url.get().matches("(https|wss)://.*")
                ? new String[] {"http", "--tls-listen", ANY_PORT, "--tls-self-signed"}
                : new String[] {"http", "--listen", ANY_PORT};
    }

    static List<String> configurations() throws IOException {
        return blocks(CONFIGURATIONS, "").stream()
                .filter(block -> !block.startsWith("#"))
                .toList();
    }

    /// Pieces are completed with what they leave out.
    @ParameterizedTest
    @MethodSource("configurations")
    void a_configuration_of_the_documents_can_be_used(String shown) throws IOException {
        var named = shown.replace("fullchain.pem", "server.pem").replaceAll("(?<![\\w-])key\\.pem", "server-key.pem");
        for (var name : certificates(named)) PemFiles.make(folder, name, name + ".example.com");
        var text = named.replaceAll("\\$\\{[A-Z_]+}", "sixteen-characters")
                .replaceAll("/(run|var/lib)/millrace", folder.toString());
        for (var name : folders(text)) Files.createDirectories(folder.resolve(name));
        var file = Files.writeString(folder.resolve("shown.yaml"), whole(text));
        assertEquals(0, here("proxy", "--config", file.toString(), "--check"), text);
    }

    private static Set<String> certificates(String configuration) {
        return Pattern.compile("([\\w-]+)\\.pem")
                .matcher(configuration)
                .results()
                .map(file -> file.group(1))
                .filter(name -> !name.endsWith("-key"))
                .collect(Collectors.toSet());
    }

    private static List<String> folders(String configuration) {
        return Pattern.compile("folder: ([\\w/]+)|include: \\[(\\w+)/")
                .matcher(configuration)
                .results()
                .map(folder -> folder.group(1) == null ? folder.group(2) : folder.group(1))
                .toList();
    }

    private static String whole(String text) {
        var whole = new StringBuilder(text);
        if (!text.contains("listeners:")) whole.append("listeners: {other: {address: \":8080\"}}\n");
        boolean isLayer4 = text.contains("layer: 4") && !text.contains("routes:");
        if (!isLayer4 && !text.contains("routes:")) whole.append("routes: {all: {respond: {status: 200}}}\n");
        if (isLayer4 && !text.contains("upstreams:")) {
            whole.append("upstreams:\n");
            for (var name : List.of("db", "apps", "others"))
                whole.append("  " + name + ": {endpoints: [\"10.0.0.1:80\"]}\n");
        }
        return whole.toString();
    }

    /// In this process; what it says on its errors is part of a failure.
    private static int here(String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        int code = Main.commandLine(arguments)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
        assertEquals("", err.toString(), List.of(arguments)::toString);
        assertFalse(out.toString().isEmpty(), List.of(arguments)::toString);
        return code;
    }

    /// As a shell divides them: blanks, but for those in quotes.
    private static List<String> words(String line) {
        var words = new ArrayList<String>();
        var matcher = Pattern.compile("(?:[^\\s'\"]|'[^']*'|\"[^\"]*\")+").matcher(line);
        while (matcher.find()) words.add(matcher.group().replaceAll("['\"]", ""));
        return words;
    }

    private static List<String> blocks(Pattern pattern, String leftOut) throws IOException {
        try (var docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")), docs)
                    .filter(file -> file.toString().endsWith(".md") && !file.endsWith(leftOut))
                    .sorted()
                    .flatMap(page -> pattern.matcher(read(page)).results().map(block -> block.group(1)))
                    .toList();
        }
    }

    private static String read(Path page) {
        try {
            return Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
