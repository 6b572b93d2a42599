package io.millrace.tls;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/// TLS 1.3 and 1.2 as a [io.millrace.net.Stage], with the engine of the JDK: where to begin.
///
/// ```java
/// Tcp.serve(Listen.on(8443).through(Tls.server(Path.of("cert.pem"), Path.of("key.pem"))), session);
///
/// var conn = Tcp.connect(Connect.to("example.com", 443).through(Tls.client("example.com")));
/// ```
public final class Tls {
    private Tls() {}

    /// A server that is one, whatever name it is asked for by.
    public static TlsServer server(TlsIdentity identity) {
        return new TlsServer(TlsServer.TlsServerSettings.STANDARD.withDefault(identity));
    }

    /// The same with a context of somebody else's, which has the key and decides which clients it trusts: of another
    /// provider (Conscrypt, BouncyCastle FIPS), or with keys in hardware (PKCS#11).
    public static TlsServer server(SSLContext context) {
        return new TlsServer(TlsServer.TlsServerSettings.STANDARD.withDefault(context));
    }

    /// A server that is read anew while it serves; see [TlsReload].
    public static TlsReload reloading(Supplier<TlsServer> how) {
        return new TlsReload(how);
    }

    /// The same, from files in PEM; see [TlsIdentity#pem].
    public static TlsServer server(Path chain, Path key) {
        return server(TlsIdentity.pem(chain, key));
    }

    /// A server that is who [TlsServer#name] says, and refuses to be somebody else.
    public static TlsServer server() {
        return new TlsServer(TlsServer.TlsServerSettings.STANDARD);
    }

    /// TLS that is passed on as it is, once it is known whom a client asks for.
    public static TlsPassage passing() {
        return new TlsPassage(Duration.ofSeconds(10));
    }

    /// A client of this server, which has to show a certificate for the name that this JVM trusts.
    ///
    /// @param name of a host, or an IP address
    public static TlsClient client(String name) {
        return client().of(name);
    }

    /// A client whose servers are named later, with [TlsClient#of]; that of HTTP names the host of each URI.
    public static TlsClient client() {
        return new TlsClient(TlsClient.TlsClientSettings.STANDARD, Optional.empty());
    }
}
