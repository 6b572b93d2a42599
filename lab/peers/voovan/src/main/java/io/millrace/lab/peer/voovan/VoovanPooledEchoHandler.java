package io.millrace.lab.peer.voovan;

import io.millrace.lab.peer.SerialExecutor;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.voovan.network.IoSession;
import org.voovan.network.exception.SendMessageException;
import org.voovan.tools.buffer.TByteBuffer;

/// In the pool: each session's messages one after the other.
@SuppressWarnings("rawtypes")
final class VoovanPooledEchoHandler extends VoovanEchoHandler {
    private final Executor pool;

    VoovanPooledEchoHandler(Executor pool) {
        this.pool = pool;
    }

    @Override
    public Object onConnect(IoSession session) {
        session.setAttachment(new SerialExecutor(pool));
        return null;
    }

    @Override
    public Object onReceive(IoSession session, Object message) {
        var received = (ByteBuffer) message;
        var copy = ByteBuffer.allocate(received.remaining()).put(received).flip();
        TByteBuffer.release(received);
        ((SerialExecutor) session.getAttachment()).execute(() -> send(session, copy));
        return null;
    }

    @Override
    public void onSent(IoSession session, Object message) {}

    private static void send(IoSession session, ByteBuffer message) {
        try {
            session.syncSend(message);
        } catch (SendMessageException gone) {
            session.close();
        }
    }
}
