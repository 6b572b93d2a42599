package io.millrace.lab.load;

import io.millrace.tls.TlsIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Asks an HTTP server by the JDK's client, so that our own reading of HTTP and TLS is not the only judge.
final class Judge implements AutoCloseable {
    private static final int OK = 200;

    private final InetSocketAddress server;
    private final Optional<Path> trusted;
    private final Duration patience;
    private final HttpClient client;

    /// @param trusted the file with the certificate to trust; empty in the clear
    /// @param patience for each request
    /// @throws IOException when that file cannot be used
    Judge(InetSocketAddress server, Optional<Path> trusted, Duration patience) throws IOException {
        this.server = server;
        this.trusted = trusted;
        this.patience = patience;
        var builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1);
        if (trusted.isPresent()) builder.sslContext(trusting(trusted.get()));
        client = builder.connectTimeout(patience).build();
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
    HttpResponse<byte[]> judge(HttpRequest request, byte[] expected) throws IOException, InterruptedException {
        var response = client.send(request, BodyHandlers.ofByteArray());
        require(response.statusCode() == OK, request, "has status " + response.statusCode() + " instead of " + OK);
        int length = response.body().length;
        require(length == expected.length, request, "has a body of " + length + " bytes instead of " + expected.length);
        int wrong = Arrays.mismatch(response.body(), expected);
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
