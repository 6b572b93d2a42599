package io.millrace.tls;

/// The record layer (RFC 8446 section 5, RFC 5246 section 6.2).
final class Records {
    static final int ALERT = 21;
    static final int HANDSHAKE = 22;
    static final int APPLICATION_DATA = 23;

    /// Type, version and length.
    static final int HEADER = 5;

    static final int MOST_PLAIN = 1 << 14;

    /// TLS 1.3 allows encryption to add this much; the accepted ciphers of TLS 1.2 add less.
    static final int MOST_BYTES = HEADER + MOST_PLAIN + 256;

    private static final int FATAL = 2;

    private Records() {}

    /// An unencrypted alert, for a peer without keys yet.
    static byte[] alert(int description) {
        return new byte[] {ALERT, 3, 3, 0, 2, FATAL, (byte) description};
    }
}
