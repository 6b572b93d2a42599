package io.millrace.lab.peer.jdk;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;

/// [AsynchronousSocketChannel] of the JDK: what was read is written before the next read.
public final class AsynchronousEcho {
    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, AsynchronousEcho::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        var group = AsynchronousChannelGroup.withFixedThreadPool(options.loops(), Executors.defaultThreadFactory());
        var server = AsynchronousServerSocketChannel.open(group);
        server.bind(options.address(), 1024);
        Executor handlers = options.isPooled() ? Executors.newFixedThreadPool(options.poolThreads()) : Runnable::run;
        server.accept(null, new Acceptor(server, handlers));
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private record Acceptor(AsynchronousServerSocketChannel server, Executor handlers)
            implements CompletionHandler<AsynchronousSocketChannel, Void> {
        @Override
        public void completed(AsynchronousSocketChannel channel, Void nothing) {
            server.accept(null, this);
            try {
                channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
                new Connection(channel, handlers, ByteBuffer.allocateDirect(64 * 1024)).receive();
            } catch (IOException gone) {
                // The client went away before it was served.
            }
        }

        @Override
        public void failed(Throwable reason, Void nothing) {
            System.err.println("not accepted: " + reason);
            server.accept(null, this);
        }
    }

    private record Connection(AsynchronousSocketChannel channel, Executor handlers, ByteBuffer buffer) {
        void receive() {
            buffer.clear();
            channel.read(buffer, this, RECEIVED);
        }

        void send() {
            if (buffer.hasRemaining()) {
                channel.write(buffer, this, SENT);
            } else {
                receive();
            }
        }

        void close() {
            try {
                channel.close();
            } catch (IOException alreadyGone) {
                // The client is gone either way.
            }
        }
    }

    private static final CompletionHandler<Integer, Connection> RECEIVED = new CompletionHandler<>() {
        @Override
        public void completed(Integer count, Connection connection) {
            if (count < 0) {
                connection.close();
                return;
            }
            connection.buffer().flip();
            connection.handlers().execute(connection::send);
        }

        @Override
        public void failed(Throwable reason, Connection connection) {
            connection.close();
        }
    };

    private static final CompletionHandler<Integer, Connection> SENT = new CompletionHandler<>() {
        @Override
        public void completed(Integer count, Connection connection) {
            connection.send();
        }

        @Override
        public void failed(Throwable reason, Connection connection) {
            connection.close();
        }
    };
}
