package io.millrace.http.acme;

import io.millrace.http.HttpFilter;
import io.millrace.http.HttpHandler;
import io.millrace.http.Request;
import io.millrace.http.Response;
import io.millrace.tls.TlsIdentity;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The answers to an authority that asks whether names are served here. As a filter it answers HTTP-01 (RFC 8555
/// section 8.3) in front of everything else; as a function it has the certificates of TLS-ALPN-01, for
/// [io.millrace.tls.TlsServer#proving].
///
/// ```java
/// Http.serve(Listen.on(80), challenges.around(app));
/// Http.serve(Listen.on(443).through(tls.proving(challenges)), app);
/// ```
/// A token or a name that it does not know is none of its business. Any thread.
public final class AcmeChallenges implements HttpFilter, Function<String, Optional<TlsIdentity>> {
    /// Answers that are kept at a time, of each kind (`acme.challenges`).
    public static final int MOST = 1_000;

    private static final String PREFIX = "/.well-known/acme-challenge/";

    private final Map<String, String> texts = new ConcurrentHashMap<>();
    private final Map<String, TlsIdentity> proofs = new ConcurrentHashMap<>();

    /// None so far.
    public AcmeChallenges() {}

    /// Answers requests for this token, until it is forgotten.
    ///
    /// @throws IllegalStateException when there are [#MOST]
    public void answer(String token, String text) {
        put(texts, token, text);
    }

    /// Presents this certificate to clients that ask for a proof for this name, until it is forgotten.
    ///
    /// @param name in lower case
    /// @throws IllegalStateException when there are [#MOST]
    public void prove(String name, TlsIdentity proof) {
        put(proofs, name, proof);
    }

    private static <T> void put(Map<String, T> to, String key, T value) {
        if (to.size() >= MOST && !to.containsKey(key))
            throw new IllegalStateException(
                    MOST + " challenges are open (acme.challenges): forget those that are over");
        to.put(key, value);
    }

    /// Forgets the answer for a token or a name; without effect when there is none.
    public void forget(String tokenOrName) {
        texts.remove(tokenOrName);
        proofs.remove(tokenOrName);
    }

    @Override
    public HttpHandler around(HttpHandler next) {
        return request -> {
            var text = text(request);
            return text == null ? next.handle(request) : Response.of(200, "application/octet-stream", text);
        };
    }

    private @Nullable String text(Request request) {
        var path = request.path();
        if (texts.isEmpty() || !path.startsWith(PREFIX)) return null;
        boolean isReading = request.method().equals("GET") || request.method().equals("HEAD");
        return isReading ? texts.get(path.substring(PREFIX.length())) : null;
    }

    /// The certificate that proves a name.
    @Override
    public Optional<TlsIdentity> apply(String name) {
        return Optional.ofNullable(proofs.get(name));
    }
}
