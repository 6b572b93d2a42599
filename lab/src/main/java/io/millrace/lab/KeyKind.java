package io.millrace.lab;

import java.util.List;

/// The kind of key of TLS servers.
@SuppressWarnings("ImmutableEnumChecker") // its list is immutable, which its type does not say
public enum KeyKind {
    /// On the curve P-256.
    ECDSA(List.of("-keyalg", "EC", "-groupname", "secp256r1")),
    /// Of 2048 bits.
    RSA(List.of("-keyalg", "RSA", "-keysize", "2048"));

    private final List<String> options;

    KeyKind(List<String> options) {
        this.options = options;
    }

    /// Of the JDK's tool that makes them.
    List<String> options() {
        return options;
    }
}
