package io.millrace.lab.load;

import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Asks an HTTP server by the JDK's client, so that our own reading of HTTP and TLS is not the only judge. In clear
/// text that does not begin with HTTP/2, and our client asks.
final class Judge implements AutoCloseable {
    private static final int OK = 200;

    private final InetSocketAddress server;
    private final Optional<Path> trusted;
    private final Duration patience;
    private final JudgedClient client;

    /// In HTTP/1.1.
    ///
    /// @param trusted the file with the certificate to trust; empty in the clear
    /// @param patience for each request
    /// @throws IOException when that file cannot be used
    Judge(InetSocketAddress server, Optional<Path> trusted, Duration patience) throws IOException {
        this(server, trusted, patience, jdk(trusted, patience, HttpClient.Version.HTTP_1_1));
    }

    private Judge(InetSocketAddress server, Optional<Path> trusted, Duration patience, JudgedClient client) {
        this.server = server;
        this.trusted = trusted;
        this.patience = patience;
        this.client = client;
    }

    /// Of the server of an order, in the version of its load.
    static Judge of(LoadOrder order) throws IOException {
        if (!order.exchange().isHttp2()) return new Judge(order.server(), order.trusted(), order.patience());
        var client = order.trusted().isPresent()
                ? jdk(order.trusted(), order.patience(), HttpClient.Version.HTTP_2)
                : JudgedClient.byPriorKnowledge(order.patience());
        return new Judge(order.server(), order.trusted(), order.patience(), client);
    }

    private static JudgedClient jdk(Optional<Path> trusted, Duration patience, HttpClient.Version version)
            throws IOException {
        var builder = HttpClient.newBuilder().version(version);
        if (trusted.isPresent()) builder.sslContext(trusting(trusted.get()));
        return JudgedClient.of(builder.connectTimeout(patience).build(), version);
    }

    private static SSLContext trusting(Path file) throws IOException {
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (var certificate : TlsIdentity.certificates(file)) {
                store.setCertificateEntry(Integer.toString(store.size()), certificate);
            }
            var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            managers.init(store);
            var context = SSLContext.getInstance("TLS");
            context.init(null, managers.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates in " + file + " cannot be trusted: " + e.getMessage(), e);
        }
    }

    /// A builder of a request for a target.
    HttpRequest.Builder request(String target) {
        var scheme = trusted.isPresent() ? "https" : "http";
        return HttpRequest.newBuilder(URI.create(scheme + "://" + authority(server) + target))
                .timeout(patience);
    }

    /// The authority in a URL and in the field `Host`.
    static String authority(InetSocketAddress server) {
        var host = server.getHostString();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + server.getPort();
    }

    /// The response, which must have status 200 and this body.
    ///
    /// @throws IOException with a sentence
    JudgedClient.Judged judge(HttpRequest request, byte[] expected) throws IOException, InterruptedException {
        var response = client.ask(request);
        require(response.status() == OK, request, "has status " + response.status() + " instead of " + OK);
        int length = response.body().length();
        require(length == expected.length, request, "has a body of " + length + " bytes instead of " + expected.length);
        int wrong = Arrays.mismatch(response.body().toArray(), expected);
        require(wrong < 0, request, "is wrong from byte " + wrong);
        return response;
    }

    static void require(boolean isSo, HttpRequest request, String otherwise) throws IOException {
        if (isSo) return;
        var what = request.method() + " " + request.uri().getPath();
        throw new IOException("the response to " + what + " " + otherwise);
    }

    @Override
    public void close() {
        client.close();
    }
}
