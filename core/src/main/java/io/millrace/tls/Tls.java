package io.millrace.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/// TLS 1.3 and 1.2 as a [io.millrace.net.Stage], with the JDK's engine: the entry point.
///
/// ```java
/// Tcp.serve(Listen.on(8443).through(Tls.server(Path.of("cert.pem"), Path.of("key.pem"))), session);
///
/// var conn = Tcp.connect(Connect.to("example.com", 443).through(Tls.client("example.com")));
/// ```
public final class Tls {
    private Tls() {}

    /// A server with one identity, whatever name a client asks for.
    public static TlsServer server(TlsIdentity identity) {
        return new TlsServer(TlsServer.TlsServerSettings.STANDARD.withDefault(identity));
    }

    /// As [#server(TlsIdentity)], with a given context, which has the key and decides which clients it trusts: of
    /// another provider (Conscrypt, BouncyCastle FIPS), or with keys in hardware (PKCS#11).
    public static TlsServer server(SSLContext context) {
        return new TlsServer(TlsServer.TlsServerSettings.STANDARD.withDefault(context));
    }

    /// A server that can be reloaded while it serves; see [TlsReload].
    public static TlsReload reloading(Supplier<TlsServer> how) {
        return new TlsReload(how);
    }

    /// A server with one identity from PEM files; see [TlsIdentity#pem].
    public static TlsServer server(Path chain, Path key) {
        return server(TlsIdentity.pem(chain, key));
    }

    /// A server with the identities of [TlsServer#name], which refuses clients that ask for another name.
    public static TlsServer server() {
        return new TlsServer(TlsServer.TlsServerSettings.STANDARD);
    }

    /// Passes TLS through undecrypted, once the server name that a client asks for is known.
    public static TlsPassage passing() {
        return new TlsPassage(Duration.ofSeconds(10));
    }

    /// A client of the named server, which must present a certificate for that name that this JVM trusts.
    ///
    /// @param name a host name or an IP address
    public static TlsClient client(String name) {
        return client().of(name);
    }

    /// A client whose servers are named later, with [TlsClient#of]; the HTTP client names each URI's host.
    public static TlsClient client() {
        return new TlsClient(TlsClient.TlsClientSettings.STANDARD, Optional.empty());
    }
}
