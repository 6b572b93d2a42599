package io.millrace.proxy;

import io.millrace.http.Request;
import java.net.InetSocketAddress;

/// What consistent hashing goes by.
final class Keys {
    private Keys() {}

    static long ofClient(Request request) {
        return request.remote() instanceof InetSocketAddress from
                ? of(from.getAddress().getAddress())
                : 0;
    }

    /// FNV-1a, which is good enough where the table mixes once more, and the same in every process.
    static long of(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : bytes) hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        return hash;
    }
}
