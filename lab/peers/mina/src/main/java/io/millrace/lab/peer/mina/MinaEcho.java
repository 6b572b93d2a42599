package io.millrace.lab.peer.mina;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.executor.ExecutorFilter;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;

/// Apache MINA: the pool is its `ExecutorFilter`, which keeps the order of each connection.
public final class MinaEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, MinaEcho::start);
    }

    // The acceptor lives as long as the process.
    @SuppressWarnings("resource")
    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        var acceptor = new NioSocketAcceptor(options.loops());
        acceptor.setBacklog(1024);
        acceptor.setReuseAddress(true);
        acceptor.getSessionConfig().setTcpNoDelay(true);
        if (options.isPooled()) {
            acceptor.getFilterChain().addLast("executor", new ExecutorFilter(options.poolThreads()));
        }
        acceptor.setHandler(new Echo());
        acceptor.bind(options.address());
        return acceptor.getLocalAddress().getPort();
    }

    private static final class Echo extends IoHandlerAdapter {
        private static final long PENDING_BYTES_LIMIT = 256 * 1024;

        @Override
        public void messageReceived(IoSession session, Object message) {
            session.write(((IoBuffer) message).duplicate());
            if (session.getScheduledWriteBytes() > PENDING_BYTES_LIMIT) {
                session.suspendRead();
            }
        }

        @Override
        public void messageSent(IoSession session, Object message) {
            if (session.isReadSuspended() && session.getScheduledWriteBytes() <= PENDING_BYTES_LIMIT) {
                session.resumeRead();
            }
        }

        @Override
        public void exceptionCaught(IoSession session, Throwable cause) {
            session.closeNow();
        }
    }
}
