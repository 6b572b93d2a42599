package io.millrace.proxy;

import io.millrace.http.Request;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// Keys for [io.millrace.proxy.backend.Balance#HASH]: numbers for parts of requests, the same in every
/// process.
public final class Keys {
    private Keys() {}

    /// The key of the client's address.
    public static long ofClient(Request request) {
        return of(request.remote());
    }

    /// The value of a field as a key: all its lines joined.
    public static Optional<String> field(Request request, String name) {
        var lines = request.headers(name);
        return lines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lines));
    }

    /// The key of an address without its port, or 0.
    static long of(SocketAddress client) {
        return client instanceof InetSocketAddress from && !from.isUnresolved()
                ? of(from.getAddress().getAddress())
                : 0;
    }

    /// The key of a text.
    public static long of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /// FNV-1a, which is good enough as the table mixes once more.
    private static long of(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : bytes) hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        return hash;
    }
}
