package io.millrace.proxy;

import io.millrace.http.Request;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/// What [Balance#HASH] goes by: numbers for parts of requests, the same in every process.
public final class Keys {
    private Keys() {}

    /// That of the client's address.
    public static long ofClient(Request request) {
        return of(request.remote());
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
