package io.millrace.examples;

import io.millrace.codec.BlockingMessages;
import io.millrace.codec.Codec;
import io.millrace.codec.Framing;
import io.millrace.codec.Messages;
import io.millrace.net.BlockingConnection;
import io.millrace.net.HandlerFactory;
import io.millrace.net.ProtocolError;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ConcurrentMap;

/// The protocol of docs/guide-protocol.md.
final class KeyValue {
    static final byte SET = 1;
    static final byte GET = 2;

    record Request(byte kind, String key, String value) {}

    static final Framing FRAMES = Framing.lengthPrefixed(1 << 16);

    static final Codec<Request> REQUESTS = Codec.of(
            in -> {
                byte kind = in.readByte();
                if (kind != SET && kind != GET) throw new ProtocolError("kind " + kind + ": it must be 1 or 2");
                return new Request(kind, in.readUtf8(in.readUnsignedShort()), in.readUtf8(in.remaining()));
            },
            (request, out) -> {
                byte[] key = request.key().getBytes(StandardCharsets.UTF_8);
                out.writeByte(request.kind()).writeShort(key.length).write(key, 0, key.length);
                out.writeUtf8(request.value());
            });

    private KeyValue() {}

    static HandlerFactory server(ConcurrentMap<String, String> store) {
        return Messages.over(FRAMES, REQUESTS, peer -> request -> {
            if (request.kind() == SET) store.put(request.key(), request.value());
            peer.send(new Request(request.kind(), request.key(), store.getOrDefault(request.key(), "")));
        });
    }

    static final class Client implements AutoCloseable {
        private final BlockingMessages<Request> server;

        Client(BlockingConnection connection) {
            server = BlockingMessages.of(connection, FRAMES, REQUESTS);
        }

        String get(String key) throws IOException {
            server.send(new Request(GET, key, ""));
            var answer = server.receive();
            if (answer == null) throw new EOFException("the server ended before it answered");
            return answer.value();
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
