package io.millrace.http.websocket;

import io.millrace.bytes.Bytes;
import io.millrace.codec.GroupMember;
import io.millrace.http.ws.WsCodes;
import io.millrace.loop.Addressee;
import io.millrace.loop.Encoding;
import io.millrace.loop.Recipient;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.Optional;

/// What both styles leave to the end below them.
interface EndedBySocket extends WebSocketEnd, Addressee<String> {
    SocketEnd end();

    @Override
    default void close(int code, String reason) {
        if (!WsCodes.mayBeSent(code))
            throw new IllegalArgumentException("the code " + code + " to close must not be sent: take 1000, or one "
                    + "of your own from 4000 to 4999");
        end().end(code, Objects.requireNonNull(reason, "reason"));
    }

    @Override
    default void abort() {
        end().abort();
    }

    @Override
    default long missed() {
        return end().missed();
    }

    @Override
    default Optional<String> subprotocol() {
        return end().subprotocol();
    }

    @Override
    default SocketAddress remote() {
        return end().remote();
    }

    @Override
    default GroupMember<Bytes> binary() {
        return new BinaryMember(end());
    }

    @Override
    default Recipient recipient() {
        return end();
    }

    @Override
    default Encoding<String> encoding() {
        return end().textFrames();
    }
}
