package io.millrace.proxy.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.proxy.RawBackend;
import io.millrace.proxy.RawClient;
import io.millrace.proxy.configuration.file.ConfigurationFile;
import io.millrace.proxy.configuration.file.ConfigurationFile.CheckedFile;
import io.millrace.proxy.service.ProxyService;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/// A proxy with an admin page, and those who look at it.
record WatchedProxy(ProxyService service) implements AutoCloseable {
    static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
    static final String TOKEN = "0123456789abcdef";

    record Event(String name, String data) {}

    static WatchedProxy before(RawBackend... backends) throws IOException {
        var endpoints =
                Arrays.stream(backends).map(WatchedProxy::name).collect(Collectors.joining("\", \"", "\"", "\""));
        return started("""
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {upstream: app}}
                upstreams: {app: {endpoints: [ENDPOINTS], balance: round-robin}}
                admin: {address: "127.0.0.1:0", token: TOKEN}
                runtime: {loops: 1}
                """.replace("ENDPOINTS", endpoints).replace("TOKEN", TOKEN));
    }

    static WatchedProxy alone() throws IOException {
        return started(respond("{address: \"127.0.0.1:0\", token: " + TOKEN + "}"));
    }

    static WatchedProxy withoutToken() throws IOException {
        return started(respond("{address: \"127.0.0.1:0\"}"));
    }

    private static String respond(String admin) {
        return """
                listeners: {web: {address: "127.0.0.1:0"}}
                routes: {all: {respond: {body: hi}}}
                admin: ADMIN
                runtime: {loops: 1}
                """.replace("ADMIN", admin);
    }

    static WatchedProxy started(String text) throws IOException {
        return switch (ConfigurationFile.parse("test.yaml", Path.of("."), text, Map.of())) {
            case CheckedFile.Good good -> new WatchedProxy(ProxyService.start(good.configuration()));
            case CheckedFile.Bad bad -> throw new AssertionError(bad.problems());
        };
    }

    static String name(RawBackend backend) {
        return backend.uri().substring("http://".length());
    }

    private static int port(SocketAddress address) {
        return ((InetSocketAddress) address).getPort();
    }

    int port() {
        return port(service.addresses().getFirst());
    }

    int pagePort() {
        return port(service.adminAddress().orElseThrow());
    }

    RawClient page() throws IOException {
        return new RawClient(pagePort());
    }

    /// So many requests through the proxy, each answered.
    void get(int count) throws IOException {
        try (var client = new RawClient(port())) {
            for (int i = 0; i < count; i++)
                assertEquals(200, client.get("/").read().status());
        }
    }

    static RawClient get(RawClient client, String target) throws IOException {
        return client.send("GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    /// @param line method and target
    /// @param fields each with its line end
    RawClient.Reply send(RawClient client, String line, String host, String fields, String form) throws IOException {
        var head = line + " HTTP/1.1\r\nHost: " + host + "\r\n" + fields;
        if (!form.isEmpty()) head += "Content-Type: application/x-www-form-urlencoded\r\n";
        client.send(head + "Content-Length: " + form.length() + "\r\n\r\n" + form);
        return client.read();
    }

    RawClient.Reply put(RawClient client, RawBackend backend, String state) throws IOException {
        var form = "upstream=app&backend=" + name(backend) + "&state=" + state;
        return send(client, "POST /api/backend", "localhost", "Authorization: Bearer " + TOKEN + "\r\n", form);
    }

    static List<String> head(RawClient client) throws IOException {
        return RawClient.lines(client.in());
    }

    /// The next event of a stream, which comes in a chunk.
    static Event event(RawClient client) throws IOException {
        int length = Integer.parseInt(RawClient.line(client.in()), 16);
        var text = new String(RawClient.exactly(client.in(), length), java.nio.charset.StandardCharsets.UTF_8);
        RawClient.line(client.in());
        var lines = text.lines().toList();
        return new Event(
                lines.get(0).substring("event: ".length()), lines.get(1).substring("data: ".length()));
    }

    @Override
    public void close() {
        service.close();
    }
}
