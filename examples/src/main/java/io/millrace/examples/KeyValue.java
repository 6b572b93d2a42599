package io.millrace.examples;

import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Messages;
import io.millrace.net.HandlerFactory;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/// The protocol of docs/guide-protocol.md.
final class KeyValue {
    static final byte SET = 1;
    static final byte GET = 2;

    record Request(byte kind, String key, String value) {}

    static final Framing FRAMES = Framing.lengthPrefixed(1 << 16);

    static final Codec<Request> REQUESTS = Codec.of(
            in -> new Request(in.readByte(), in.readUtf8(in.readUnsignedShort()), in.readUtf8(in.remaining())),
            (request, out) -> {
                byte[] key = request.key().getBytes(StandardCharsets.UTF_8);
                out.writeByte(request.kind()).writeShort(key.length).write(key, 0, key.length);
                out.writeUtf8(request.value());
            });

    private KeyValue() {}

    static HandlerFactory server(Map<String, String> store) {
        return Messages.over(FRAMES, REQUESTS, peer -> request -> {
            if (request.kind() == SET) store.put(request.key(), request.value());
            peer.send(new Request(request.kind(), request.key(), store.getOrDefault(request.key(), "")));
        });
    }
}
