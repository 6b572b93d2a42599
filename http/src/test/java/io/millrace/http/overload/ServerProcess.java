package io.millrace.http.overload;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.millrace.TransportKind;
import io.millrace.http.server.Http;
import io.millrace.net.Guard;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;

/// An [AttackedServer] in a process of its own, which may have so many descriptors; closing this ends it. Its classes
/// come from one jar: a JVM that is out of descriptors can open no file of a class.
final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final Path log;
    private final PrintStream to;
    private final BufferedReader from;
    private final int port;
    private final int securePort;

    /// @param flags of its JVM, behind those that it needs
    /// @param folder for the log, and for the jar, which is made once
    /// @param patience of the server with heads and with peers that take nothing
    ServerProcess(TransportKind transport, List<String> flags, int descriptors, Duration patience, Path folder)
            throws IOException {
        var jar = folder.resolve("server.jar");
        if (!Files.exists(jar)) pack(jar, List.of(TransportKind.class, Http.class, AttackedServer.class));
        this.log = folder.resolve("log");
        var command = new ArrayList<>(List.of("sh", "-c", "ulimit -n " + descriptors + " && exec \"$@\"", "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                ServerProcess.class.desiredAssertionStatus() ? "-ea" : "-da",
                "-Xmx1g",
                "-cp",
                jar.toString(),
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("--add-opens", "java.base/java.lang=ALL-UNNAMED"));
        command.addAll(flags);
        command.add(AttackedServer.class.getName());
        command.addAll(List.of(transport.name(), String.valueOf(patience.toMillis())));
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        to = new PrintStream(process.getOutputStream(), true, UTF_8);
        from = process.inputReader(UTF_8);
        port = Integer.parseInt(next());
        securePort = Integer.parseInt(next());
    }

    /// @param samples of the folders or jars whose classes are wanted
    private static void pack(Path jar, List<Class<?>> samples) throws IOException {
        try (var out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (var sample : samples) pack(out, sample);
        }
    }

    private static void pack(JarOutputStream out, Class<?> sample) throws IOException {
        var uri = uri(sample);
        if (!uri.getScheme().equals("jar")) {
            packBelow(out, rootOf(sample, Path.of(uri)));
            return;
        }
        try (var files = FileSystems.newFileSystem(uri, Map.of())) {
            packBelow(out, files.getPath("/"));
        }
    }

    private static URI uri(Class<?> type) {
        try {
            return type.getResource(type.getSimpleName() + ".class").toURI();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /// The folder on whose class path a class is.
    private static Path rootOf(Class<?> type, Path file) {
        return file.resolve("../".repeat(type.getName().split("\\.", -1).length))
                .normalize();
    }

    private static void packBelow(JarOutputStream out, Path root) throws IOException {
        try (var files = Files.walk(root)) {
            for (var file : files.filter(ServerProcess::isOrdinaryClass).toList()) {
                out.putNextEntry(new ZipEntry(root.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
    }

    private static boolean isOrdinaryClass(Path file) {
        var name = String.valueOf(file.getFileName());
        return name.endsWith(".class") && !name.equals("package-info.class") && !name.equals("module-info.class");
    }

    private String next() throws IOException {
        var line = from.readLine();
        if (line == null) throw new IOException("the server has ended: " + Files.readString(log));
        return line;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /// Over TLS.
    InetSocketAddress secureAddress() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), securePort);
    }

    /// How often a guard has acted.
    long count(Guard guard) throws IOException {
        to.println(guard.name());
        return Long.parseLong(next());
    }

    /// How many lines the log has of a guard.
    long logged(Guard guard) throws IOException {
        try (var lines = Files.lines(log)) {
            return lines.filter(line -> line.contains("guard " + guard.name() + " acted"))
                    .count();
        }
    }

    long residentBytes() throws IOException {
        return Overload.residentKilobytes(process.pid()) << 10;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }
}
