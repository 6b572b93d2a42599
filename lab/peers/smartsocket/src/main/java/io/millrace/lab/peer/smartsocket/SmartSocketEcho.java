package io.millrace.lab.peer.smartsocket;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.smartboot.socket.MessageProcessor;
import org.smartboot.socket.Protocol;
import org.smartboot.socket.transport.AioQuickServer;
import org.smartboot.socket.transport.AioSession;

/// smart-socket: sets TCP_NODELAY by itself and has two threads at least. In the pool it uses its own way to process
/// elsewhere: a session reads no more until `signalRead`.
public final class SmartSocketEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, SmartSocketEcho::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        ExecutorService pool = options.isPooled() ? Executors.newFixedThreadPool(options.poolThreads()) : null;
        MessageProcessor<byte[]> echo = pool == null
                ? SmartSocketEcho::send
                : (session, message) -> {
                    session.awaitRead();
                    pool.execute(() -> {
                        send(session, message);
                        session.signalRead();
                    });
                };
        // The server does not say which port it got.
        int port = options.port() == 0 ? options.freePort() : options.port();
        Protocol<byte[]> anything = (buffer, session) -> {
            if (!buffer.hasRemaining()) {
                return null;
            }
            byte[] bytes = new byte[buffer.remaining()];
            buffer.get(bytes);
            return bytes;
        };
        new AioQuickServer(options.hostText(), port, anything, echo)
                // By default it receives 512 bytes and sends 128 at a time; its own benchmark sets what is set here.
                .setReadBufferSize(1024 * 1024)
                .setWriteBuffer(4096, 512)
                .setThreadNum(Math.max(2, options.loops()))
                .setBacklog(1024)
                .setBannerEnabled(false)
                .start();
        return port;
    }

    private static void send(AioSession session, byte[] message) {
        try {
            session.writeBuffer().write(message);
        } catch (IOException gone) {
            session.close();
        }
    }
}
