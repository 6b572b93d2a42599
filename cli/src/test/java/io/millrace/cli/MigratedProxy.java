package io.millrace.cli;

import io.millrace.loop.Wording;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.proxy.service.ProxyService;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Our side of a set-up of `docs/migrating.md`: its text, with addresses of this machine in place of those it names.
///
/// @param addresses of its listeners
record MigratedProxy(Runnable stop, List<String> addresses) implements AutoCloseable {
    private static final Pattern LISTENER = Pattern.compile("address: \":\\d+\"");
    private static final Pattern CHECK = Pattern.compile("health: \\{(check: \\w+)");
    private static final Pattern LOG = Pattern.compile("^access-log: (\\S.*)$", Pattern.MULTILINE);
    private static final Map<String, String> ENVIRONMENT = Map.of("STICKY_SECRET", "sixteen-characters");

    /// In this process.
    ///
    /// @param folder of its files
    /// @param here what stands for what the text says
    static MigratedProxy start(Path folder, String title, Map<String, String> here) throws IOException {
        var configuration = switch (ConfigurationFile.read(file(folder, title, here), ENVIRONMENT)) {
            case CheckedFile.Good good -> good.configuration();
            case CheckedFile.Bad bad -> throw new AssertionError(bad.problems());
        };
        var service = ProxyService.start(configuration);
        return new MigratedProxy(
                service::close, service.addresses().stream().map(Wording::of).toList());
    }

    /// As `millrace proxy` in a process of its own.
    static MigratedProxy start(Program program, int listeners) throws IOException {
        var addresses = Stream.<String>builder();
        for (int i = 0; i < listeners; i++) addresses.add(program.listening());
        return new MigratedProxy(program::close, addresses.build().toList());
    }

    /// The configuration, in a file.
    static Path file(Path folder, String title, Map<String, String> here) throws IOException {
        var text = MigratingDocument.setUp(title).ours().getFirst();
        for (var name : here.keySet()) {
            if (!text.contains(name)) throw new AssertionError("no " + name + " in " + text);
            text = text.replace(name, here.get(name));
        }
        // Each listener has its own host, because two addresses of a file must differ.
        var hosts = new AtomicInteger();
        var placed = LISTENER.matcher(text)
                .replaceAll(_ -> "address: \"127.0.0." + hosts.incrementAndGet() + ":0\"")
                .replace("127.0.0.1:9000", "127.0.0.1:0");
        // The first check decides at once, and on a busy machine the first handshake of a process takes its time.
        var patient = CHECK.matcher(placed).replaceAll("health: {$1, timeout: 1m");
        var quiet = LOG.matcher(patient).replaceAll("access-log: {file: access.log, format: $1}");
        return Files.writeString(folder.resolve("proxy.yaml"), quiet + "runtime: {loops: 1}\n");
    }

    /// @param fields with the status line before them
    record Answer(int status, List<String> fields, String body) {
        /// The value of a field, or nothing.
        String field(String name) {
            return fields.stream()
                    .filter(line -> line.regionMatches(true, 0, name + ": ", 0, name.length() + 2))
                    .map(line -> line.substring(name.length() + 2))
                    .findFirst()
                    .orElse("");
        }
    }

    int port(int listener) {
        return Program.port(addresses.get(listener));
    }

    Socket connect(int listener) throws IOException {
        return new Socket(addresses.get(listener).replaceFirst(":\\d+$", ""), port(listener));
    }

    /// A request to the first listener, on a connection of its own.
    ///
    /// @param head lines of a head
    Answer ask(String... head) throws IOException {
        try (var socket = connect(0)) {
            return ask(socket, head);
        }
    }

    /// A request without a body, the last one on this connection.
    static Answer ask(Socket socket, String... head) throws IOException {
        var lines = Stream.concat(Stream.of(head), Stream.of("Connection: close", "", ""));
        send(socket, String.join("\r\n", lines.toList()));
        return answer(socket);
    }

    static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// All that comes until the end.
    static Answer answer(Socket socket) throws IOException {
        var text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        int end = text.indexOf("\r\n\r\n");
        if (end < 0) throw new IOException("no response: '" + text + "'");
        var lines = text.substring(0, end).split("\r\n", -1);
        return new Answer(Integer.parseInt(lines[0].split(" ", -1)[1]), List.of(lines), text.substring(end + 4));
    }

    @Override
    public void close() {
        stop.run();
    }
}
