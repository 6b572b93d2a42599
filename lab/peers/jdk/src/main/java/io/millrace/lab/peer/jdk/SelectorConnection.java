package io.millrace.lab.peer.jdk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutorService;

/// One connection of [SelectorEcho]. It waits either for bytes or for room to send them, so that one whose client
/// does not read is not read either. While a pool has it, it waits for nothing.
final class SelectorConnection {
    private final SocketChannel channel;
    private final SelectionKey key;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(64 * 1024);

    SelectorConnection(SocketChannel channel, SelectionKey key) {
        this.channel = channel;
        this.key = key;
    }

    /// On the selector's thread.
    void ready(ExecutorService pool) {
        try {
            if (key.isReadable() && !receive()) {
                channel.close();
            } else if (pool == null) {
                answer();
            } else {
                key.interestOps(0);
                pool.execute(this::answerFromPool);
            }
        } catch (IOException | CancelledKeyException gone) {
            close();
        }
    }

    private boolean receive() throws IOException {
        int received = channel.read(buffer);
        buffer.flip();
        return received >= 0;
    }

    private void answerFromPool() {
        try {
            answer();
            key.selector().wakeup();
        } catch (IOException | CancelledKeyException gone) {
            close();
        }
    }

    private void answer() throws IOException {
        channel.write(buffer);
        if (buffer.hasRemaining()) {
            key.interestOps(SelectionKey.OP_WRITE);
        } else {
            buffer.clear();
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    private void close() {
        try {
            channel.close();
        } catch (IOException alreadyGone) {
            // The client is gone either way.
        }
    }
}
