package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/// A project of a user, made of what docs/dependency.md shows, built by Maven with artifacts from a repository where
/// they have just been installed, and started with the flags of the page. Gradle is not tried: no registry of packages
/// has a Gradle that knows Java 25.
@Timeout(1800)
@Tag("long")
class DependencyTest {
    @RegisterExtension
    static final EndsChildren CHILDREN = new EndsChildren();

    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "."), "..").toAbsolutePath().normalize();
    private static final Path SOURCES = ROOT.resolve("cli/src/test/resources/dependency");
    private static final String INSTALLED =
            "install -Dmaven.test.skip=true -pl bom,http-jackson,test-kit,acme,proxy -am";

    private static final String JUNIT = """
                <dependency>
                    <groupId>org.junit.jupiter</groupId>
                    <artifactId>junit-jupiter</artifactId>
                    <version>5.14.1</version>
                    <scope>test</scope>
                </dependency>
            </dependencies>
            """;

    @TempDir
    static Path folder;

    private static Path repository;
    private static String page;

    @BeforeAll
    static void the_artifacts_are_installed_as_the_page_says() throws Exception {
        page = Files.readString(ROOT.resolve("docs/dependency.md"));
        assertTrue(page.contains("./millrace mvn -q " + INSTALLED), page);
        repository = Files.createDirectories(folder.resolve("repository"));
        var others = Path.of(System.getProperty("localRepository"));
        link(others, repository, "io");
        link(others.resolve("io"), Files.createDirectories(repository.resolve("io")), "millrace");
        // Not where the build that runs this test has its classes.
        maven(ROOT, ("-Dfast -Dmillrace.target=target/dependency " + INSTALLED).split(" "));
    }

    /// What Maven has fetched already, except one folder, need not be fetched again.
    private static void link(Path from, Path to, String except) throws IOException {
        Files.createDirectories(from);
        try (var entries = Files.list(from)) {
            for (var entry : entries.toList()) {
                var name = String.valueOf(entry.getFileName());
                if (!name.equals(except)) Files.createSymbolicLink(to.resolve(name), entry);
            }
        }
    }

    private static void maven(Path project, String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(ROOT.resolve("millrace").toString(), "mvn", "-q"));
        command.addAll(List.of("-f", project.resolve("pom.xml").toString(), "-Dmaven.repo.local=" + repository));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), said);
    }

    /// A server that says which port it has, and whether it has each flag; with a test that wants both flags.
    private static Path project(String name, String... plugins) throws IOException {
        var project = folder.resolve(name);
        for (var source : List.of("src/main/java/rooms/Main.java", "src/test/java/rooms/FlagsTest.java"))
            copy(source, project);
        var pom = Files.readString(SOURCES.resolve("pom.xml"))
                .replace("<!-- dependencies -->", block("Maven").replaceFirst("</dependencies>\\s*$", JUNIT))
                .replace("<!-- plugins -->", String.join("\n", plugins));
        Files.writeString(project.resolve("pom.xml"), pom);
        return project;
    }

    private static void copy(String source, Path project) throws IOException {
        var to = project.resolve(source);
        Files.createDirectories(to.getParent());
        Files.copy(SOURCES.resolve(source), to);
    }

    /// The first block of XML below a heading.
    private static String block(String heading) {
        var pattern = Pattern.compile("^#+ " + heading + "\n.*?^```xml\n(.*?)^```", Pattern.DOTALL | Pattern.MULTILINE);
        var found = pattern.matcher(page);
        assertTrue(found.find(), heading);
        return found.group(1);
    }

    /// The command below a heading, with our Java and our folder.
    private static List<String> command(String heading, Path project) {
        var pattern =
                Pattern.compile("^#+ " + heading + "\n.*?^```\njava (.*?)\n```", Pattern.DOTALL | Pattern.MULTILINE);
        var found = pattern.matcher(page);
        assertTrue(found.find(), heading);
        var flags = found.group(1).replace("'", "").replace("target/", project.resolve("target") + "/");
        return java(flags.split(" "));
    }

    private static List<String> java(String... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(arguments));
        return command;
    }

    /// Starts the server, asks it once, and ends it.
    ///
    /// @return what it said about its flags
    private static String serve(List<String> command) throws Exception {
        var process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var out = process.inputReader();
                var client = HttpClient.newHttpClient()) {
            var line = out.readLine();
            assertTrue(line != null, () -> "ended: " + command);
            var words = line.split(" ", 2);
            var uri = URI.create("http://127.0.0.1:" + words[0] + "/");
            var response = client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
            assertEquals("hello", response.body());
            return words[1];
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static Set<String> fillLib(Path project) throws Exception {
        maven(
                project,
                "package",
                "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies",
                "-DincludeScope=runtime",
                "-DoutputDirectory=" + project.resolve("target/lib"));
        var names = new TreeSet<String>();
        try (var files = Files.list(project.resolve("target/lib"))) {
            files.forEach(file -> names.add(String.valueOf(file.getFileName()).replaceAll("-\\d.*", "")));
        }
        return names;
    }

    @Test
    void a_program_on_the_class_path_has_core_and_http_alone_and_both_flags_also_in_its_tests() throws Exception {
        var project = project("class-path", block("In tests"));
        assertEquals(Set.of("millrace-core", "millrace-http"), fillLib(project));
        assertTrue(Files.exists(project.resolve("target/surefire-reports/rooms.FlagsTest.txt")));
        assertEquals("native opens", serve(command("On the class path", project)));
    }

    @Test
    void without_flags_it_serves_all_the_same() throws Exception {
        var project = project("no-flags", block("In tests"));
        fillLib(project);
        var jars = project.resolve("target/rooms.jar") + ":" + project.resolve("target/lib") + "/*";
        assertEquals("", serve(java("-cp", jars, "rooms.Main")));
        assertEquals("", serve(java("--illegal-native-access=deny", "-cp", jars, "rooms.Main")));
    }

    @Test
    void a_program_on_the_module_path_has_both_flags_also_in_its_tests() throws Exception {
        var project = project("module-path", block("In tests").replace("ALL-UNNAMED", "io.millrace.core"));
        copy("src/main/java/module-info.java", project);
        fillLib(project);
        assertTrue(Files.exists(project.resolve("target/surefire-reports/rooms.FlagsTest.txt")));
        assertEquals("native opens", serve(command("On the module path", project)));
    }

    @Test
    void a_single_jar_has_both_flags_in_its_manifest() throws Exception {
        var project = project("one-jar", block("In tests"), block("One jar"));
        maven(project, "package");
        var alone = Files.move(project.resolve("target/rooms.jar"), folder.resolve("alone.jar"));
        assertEquals("native opens", serve(java("-jar", alone.toString())));
    }
}
