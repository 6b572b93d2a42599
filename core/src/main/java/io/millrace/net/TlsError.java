package io.millrace.net;

/// The TLS handshake or a TLS record was refused.
public final class TlsError extends NetException {
    private static final long serialVersionUID = 1;

    public TlsError(String message) {
        super(message);
    }
}
