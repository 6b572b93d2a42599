package io.millrace.lab.peer.voovan;

import java.nio.ByteBuffer;
import org.voovan.network.IoHandler;
import org.voovan.network.IoSession;
import org.voovan.tools.buffer.TByteBuffer;

/// Inline: what the handler returns is sent.
@SuppressWarnings("rawtypes")
class VoovanEchoHandler implements IoHandler {
    @Override
    public Object onReceive(IoSession session, Object message) {
        return message;
    }

    @Override
    public Object onConnect(IoSession session) {
        return null;
    }

    @Override
    public void onDisconnect(IoSession session) {}

    /// A received message is memory outside of the heap, which goes back to Voovan's pool only by hand.
    @Override
    public void onSent(IoSession session, Object message) {
        TByteBuffer.release((ByteBuffer) message);
    }

    @Override
    public void onFlush(IoSession session) {}

    @Override
    public void onException(IoSession session, Exception reason) {
        session.close();
    }

    @Override
    public void onIdle(IoSession session) {}
}
