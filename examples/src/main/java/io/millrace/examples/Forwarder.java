package io.millrace.examples;

import io.millrace.Tcp;
import io.millrace.Tunnel;
import java.net.InetSocketAddress;

/// A layer-4 proxy: `java … Forwarder 8080 10.0.0.1 80`.
public final class Forwarder {
    public static void main(String[] args) throws InterruptedException {
        var upstream = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        Tcp.listen(Integer.parseInt(args[0]), Tunnel.to(upstream)).await();
    }
}
