package io.millrace.lab.peer.jdk;

import io.millrace.lab.peer.Peer;
import io.millrace.lab.peer.PeerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Plain `java.nio`: one selector per loop, the first of them accepts.
public final class SelectorEcho {
    private final ServerSocketChannel server;
    private final Selector[] selectors;
    private int accepted;

    private SelectorEcho(ServerSocketChannel server, Selector[] selectors) {
        this.server = server;
        this.selectors = selectors;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Peer.run(arguments, SelectorEcho::start);
    }

    private static int start(PeerOptions options) throws IOException {
        options.onlyOn("nio");
        var server = ServerSocketChannel.open();
        server.bind(options.address(), 1024);
        server.configureBlocking(false);
        var echo = new SelectorEcho(server, new Selector[options.loops()]);
        for (int i = 0; i < options.loops(); i++) {
            echo.selectors[i] = Selector.open();
        }
        server.register(echo.selectors[0], SelectionKey.OP_ACCEPT);
        ExecutorService pool = options.isPooled() ? Executors.newFixedThreadPool(options.poolThreads()) : null;
        for (var selector : echo.selectors) {
            new Thread(() -> echo.loop(selector, pool), "selector").start();
        }
        return ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    private void loop(Selector selector, ExecutorService pool) {
        try {
            while (true) {
                selector.select(key -> {
                    if (key.attachment() instanceof SelectorConnection connection) {
                        connection.ready(pool);
                    } else {
                        accept();
                    }
                });
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private void accept() {
        try {
            SocketChannel channel = server.accept();
            if (channel == null) {
                return;
            }
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Selector selector = selectors[accepted++ % selectors.length];
            SelectionKey key = channel.register(selector, 0);
            key.attach(new SelectorConnection(channel, key));
            key.interestOps(SelectionKey.OP_READ);
            selector.wakeup();
        } catch (IOException refused) {
            System.err.println("not accepted: " + refused);
        }
    }
}
