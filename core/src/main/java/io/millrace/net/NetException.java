package io.millrace.net;

import java.io.IOException;

/// Why a connection failed. A connection dies with exactly one of these, given to [Handler#onClose] in callback
/// style and thrown where it happened in direct style.
///
/// These are expected on any network, so they carry no stack trace; the message names the peer if it is known.
public abstract sealed class NetException extends IOException
        permits Overloaded, ProtocolError, Refused, Reset, TimedOut, TlsError {
    private static final long serialVersionUID = 1;

    NetException(String message) {
        super(message);
    }

    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
