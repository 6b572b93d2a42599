package io.millrace.acme;

import io.millrace.Connect;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.Server;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.server.Http;
import io.millrace.testing.Pebble;
import io.millrace.testing.PemFiles;
import io.millrace.tls.Tls;
import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// Stands in front of an authority, as a content delivery network does, and sees each request.
final class Front implements AutoCloseable {
    private final PemFiles own;
    private final HttpClient client;
    private final Server server;
    private volatile Function<Request, Optional<Response>> instead = _ -> Optional.empty();
    private volatile Consumer<Request> afterwards = _ -> {};

    Front(EventLoops loops, Pebble pebble, Path folder) throws IOException {
        own = PemFiles.make(folder, "front", "127.0.0.1");
        client = HttpClient.of(ClientSettings.standard()
                .loops(loops)
                .tls(Tls.client().insecurely())
                .connect(_ -> Connect.to("127.0.0.1", pebble.port())));
        var tls = Tls.server(TlsIdentity.pem(own.chain(), own.key())).speaking("http/1.1");
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = Http.serve(Listen.on(address).loops(loops).through(tls), this::pass);
        warmUp(loops);
    }

    /// Its first client must not wait, beside other work of the machine, until both sides of TLS are loaded.
    private void warmUp(EventLoops loops) throws IOException {
        var settings = ClientSettings.standard().loops(loops).tls(Tls.client().insecurely());
        try (var first = HttpClient.of(settings)) {
            var _ = first.send(Request.get(directory().toString()));
        }
    }

    URI directory() {
        return URI.create("https://127.0.0.1:" + server.port() + "/dir");
    }

    /// The certificate that its clients trust.
    Path authorities() {
        return own.chain();
    }

    /// What it answers itself.
    void instead(Function<Request, Optional<Response>> answer) {
        instead = answer;
    }

    /// What happens when the authority has answered, and nobody knows yet.
    void afterwards(Consumer<Request> what) {
        afterwards = what;
    }

    private Response pass(Request request) throws IOException {
        var own = instead.apply(request);
        if (own.isPresent()) return own.get();
        var target = "https://" + request.header("Host").orElseThrow() + request.path();
        var passed = Request.of(request.method(), target, request.bytes());
        for (var name : List.of("Content-Type", "User-Agent"))
            for (var value : request.headers(name)) passed = passed.setHeader(name, value);
        var answer = client.send(passed);
        afterwards.accept(request);
        return answer;
    }

    @Override
    public void close() {
        server.close();
        client.close();
    }
}
