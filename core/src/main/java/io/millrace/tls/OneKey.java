package io.millrace.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/// Presents one identity to peers that accept its kind of key. A key store of the JDK would encrypt the key first,
/// and decrypt it again.
final class OneKey extends X509ExtendedKeyManager {
    private static final String ALIAS = "own";

    private final TlsIdentity identity;

    OneKey(TlsIdentity identity) {
        this.identity = identity;
    }

    /// @param type the key's type, or the types of the key and of its certificate's signer: `EC`, `EC_RSA`
    private @Nullable String alias(String type) {
        var algorithm = identity.key().getAlgorithm();
        return type.equals(algorithm) || type.startsWith(algorithm + "_") ? ALIAS : null;
    }

    private @Nullable String alias(String[] types) {
        for (var type : types) if (alias(type) != null) return ALIAS;
        return null;
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String type, Principal @Nullable [] issuers, SSLEngine engine) {
        return alias(type);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(String[] types, Principal @Nullable [] issuers, SSLEngine engine) {
        return alias(types);
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, Socket socket) {
        return alias(type);
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, Socket socket) {
        return alias(types);
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        return aliases(type);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
        return aliases(type);
    }

    private String @Nullable [] aliases(String type) {
        return alias(type) == null ? null : new String[] {ALIAS};
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return identity.chain().toArray(X509Certificate[]::new);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return identity.key();
    }
}
