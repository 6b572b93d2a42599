package io.millrace.lab.peer.tio;

import java.nio.ByteBuffer;
import org.tio.core.ChannelContext;
import org.tio.core.Tio;
import org.tio.core.TioConfig;
import org.tio.core.intf.Packet;
import org.tio.server.intf.TioServerHandler;

/// Takes whatever arrived as one packet and sends it back.
final class TioEchoHandler implements TioServerHandler {
    private static final class Received extends Packet {
        private static final long serialVersionUID = 1;

        private final byte[] bytes;

        Received(byte[] bytes) {
            this.bytes = bytes;
        }
    }

    @Override
    public Packet decode(ByteBuffer buffer, int limit, int position, int lengthBytes, ChannelContext context) {
        byte[] bytes = new byte[lengthBytes];
        buffer.get(bytes);
        return new Received(bytes);
    }

    @Override
    public void handler(Packet packet, ChannelContext context) {
        Tio.send(context, packet);
    }

    @Override
    public ByteBuffer encode(Packet packet, TioConfig config, ChannelContext context) {
        return ByteBuffer.wrap(((Received) packet).bytes);
    }
}
