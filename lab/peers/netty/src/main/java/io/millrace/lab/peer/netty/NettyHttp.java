package io.millrace.lab.peer.netty;

import io.millrace.lab.peer.HttpDate;
import io.millrace.lab.peer.HttpPeer;
import io.millrace.lab.peer.PeerOptions;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.AsciiString;

/// Netty: `HttpServerCodec`, and a handler behind it; transports and pool are those of the echo peer.
public final class NettyHttp {
    public static void main(String[] arguments) throws InterruptedException {
        HttpPeer.run(arguments, NettyHttp::start);
    }

    // The other way to leave the loop is to write the hand-over by hand.
    @SuppressWarnings("deprecation")
    private static int start(PeerOptions options, boolean isClosing) {
        var date = new HttpDate<CharSequence>(AsciiString::cached);
        return NettyServer.start(
                options,
                (pipeline, executors) -> pipeline.addLast(new HttpServerCodec())
                        .addLast(executors, new NettyHttpHandler(date, isClosing)));
    }
}
