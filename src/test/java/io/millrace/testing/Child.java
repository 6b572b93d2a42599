package io.millrace.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.millrace.Tcp;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/// A process of its own that runs a main class of these tests, and answers a line with a line. It ends when this
/// is closed.
public final class Child implements AutoCloseable {
    private final Process process;
    private final PrintStream to;
    private final BufferedReader from;

    private Child(Process process) {
        this.process = process;
        this.to = new PrintStream(process.getOutputStream(), true, UTF_8);
        this.from = process.inputReader(UTF_8);
    }

    /// Runs a class of the tests of `core` with flags for its JVM.
    public static Child start(Class<?> main, List<String> flags, Object... arguments) throws IOException {
        return start(List.of(), main, flags, arguments);
    }

    /// Runs a class of the tests of another module.
    ///
    /// @param needed a class of each module that it needs besides `core`
    public static Child start(List<Class<?>> needed, Class<?> main, List<String> flags, Object... arguments)
            throws IOException {
        var from = Stream.concat(Stream.of(Tcp.class, main), needed.stream());
        var classPath = from.map(type -> folderOf(type).toString()).collect(Collectors.joining(":"));
        return new Child(new ProcessBuilder(command(classPath, main, flags, arguments))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /// Runs a class of the tests that may have so many descriptors and no more. Its classes come from one jar, as
    /// those of an application do: a JVM that is out of descriptors can open no file of a class.
    ///
    /// @param folder where the jar goes, and `log`, to which the child writes its log
    public static Child startWithDescriptors(int limit, Path folder, Class<?> main, Object... arguments)
            throws IOException {
        var jar = folder.resolve("child.jar");
        pack(jar, folderOf(Tcp.class), folderOf(main));
        var java = command(jar.toString(), main, List.of(), arguments);
        var limited = new ArrayList<>(List.of("sh", "-c", "ulimit -n " + limit + " && exec \"$@\"", "sh"));
        limited.addAll(java);
        return new Child(new ProcessBuilder(limited)
                .redirectError(folder.resolve("log").toFile())
                .start());
    }

    private static List<String> command(String classPath, Class<?> main, List<String> flags, Object... arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                Child.class.desiredAssertionStatus() ? "-ea" : "-da",
                "-cp",
                classPath,
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED"));
        command.addAll(flags);
        command.add(main.getName());
        for (var argument : arguments) command.add(argument.toString());
        return command;
    }

    private static void pack(Path jar, Path... folders) throws IOException {
        try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (var folder : folders) pack(out, folder);
        }
    }

    private static void pack(JarOutputStream out, Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (var file : files.filter(Child::isOrdinaryClass).toList()) {
                out.putNextEntry(new ZipEntry(folder.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
    }

    private static boolean isOrdinaryClass(Path file) {
        var name = file.getFileName().toString();
        return name.endsWith(".class") && !name.equals("package-info.class") && !name.equals("module-info.class");
    }

    /// The folder, or the jar, that a class comes from.
    private static Path folderOf(Class<?> type) {
        var file = type.getName().replace('.', '/') + ".class";
        var found = type.getResource("/" + file);
        assertNotNull(found, file);
        var uri = uri(found);
        if (uri.getScheme().equals("jar")) {
            var text = uri.getSchemeSpecificPart();
            return Path.of(URI.create(text.substring(0, text.indexOf('!'))));
        }
        return Path.of(uri).resolve("../".repeat(file.split("/", -1).length)).normalize();
    }

    private static URI uri(URL url) {
        try {
            return url.toURI();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The answer to a line.
    public String ask(String question) throws IOException {
        to.println(question);
        return next();
    }

    /// The numbers in the answer to a line.
    public long[] askNumbers(String question) throws IOException {
        return Stream.of(ask(question).split(" ", -1))
                .mapToLong(Long::parseLong)
                .toArray();
    }

    /// The next line that the child writes.
    public String next() throws IOException {
        @Nullable String line = from.readLine();
        if (line == null) throw new IOException("the child has ended");
        return line;
    }

    public ProcessHandle handle() {
        return process.toHandle();
    }

    /// Ends the child's input, after which it has to end by itself.
    ///
    /// @return its exit code
    public int end() throws InterruptedException {
        to.close();
        return process.waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
