package io.millrace.acme;

import io.millrace.http.acme.AcmeSettings;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.Connection;
import org.shredzone.acme4j.connector.DefaultConnection;
import org.shredzone.acme4j.connector.HttpConnector;
import org.shredzone.acme4j.connector.NetworkSettings;
import org.shredzone.acme4j.provider.GenericAcmeProvider;

/// The authority that the settings name, with their choice of whom to trust.
final class ConfiguredProvider extends GenericAcmeProvider {
    private final AcmeSettings settings;

    /// What the last response said, if it was a refusal. acme4j passes it on with `rateLimited` alone, but 503 has
    /// it, too, and so has what stands in front of the authority, in which case there is no problem document.
    private volatile Optional<Instant> retryAfter = Optional.empty();

    ConfiguredProvider(AcmeSettings settings) {
        this.settings = settings;
    }

    Optional<Instant> retryAfter() {
        return retryAfter;
    }

    @Override
    public boolean accepts(URI directory) {
        return true;
    }

    @Override
    public Connection connect(URI directory, NetworkSettings settings, HttpClient client) {
        return new Listening(createHttpConnector(settings, client));
    }

    private final class Listening extends DefaultConnection {
        Listening(HttpConnector connector) {
            super(connector);
        }

        @Override
        protected void sendRequest(Session session, URL url, Consumer<HttpRequest.Builder> request) throws IOException {
            retryAfter = Optional.empty();
            super.sendRequest(session, url, request);
            if (lastResponse.statusCode() >= 400) retryAfter = getRetryAfter();
        }
    }

    @Override
    public HttpClient createHttpClient(NetworkSettings network) {
        if (settings.authorities().isEmpty()) return super.createHttpClient(network);
        return HttpClient.newBuilder()
                .connectTimeout(network.getTimeout())
                .sslContext(context())
                .build();
    }

    private SSLContext context() {
        var trusted = settings.authorities();
        try {
            var known = KeyStore.getInstance(KeyStore.getDefaultType());
            known.load(null, null);
            for (var one : trusted) known.setCertificateEntry(Integer.toString(known.size()), one);
            var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(known);
            var context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("this JVM cannot trust " + trusted.size() + " certificates", e);
        }
    }
}
