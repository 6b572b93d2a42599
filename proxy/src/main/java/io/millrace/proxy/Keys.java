package io.millrace.proxy;

import io.millrace.http.Request;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// What [io.millrace.proxy.backend.Balance#HASH] goes by: numbers for parts of requests, the same in every process.
public final class Keys {
    private Keys() {}

    /// That of the client's address.
    public static long ofClient(Request request) {
        return of(request.remote());
    }

    /// The value of a field by which requests are told apart: all of its lines, as if they were one.
    public static Optional<String> field(Request request, String name) {
        var lines = request.headers(name);
        return lines.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", lines));
    }

    /// That of an address without its port, or 0.
    static long of(SocketAddress client) {
        return client instanceof InetSocketAddress from && !from.isUnresolved()
                ? of(from.getAddress().getAddress())
                : 0;
    }

    /// That of a text.
    public static long of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /// FNV-1a, which is good enough where the table mixes once more.
    private static long of(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : bytes) hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        return hash;
    }
}
