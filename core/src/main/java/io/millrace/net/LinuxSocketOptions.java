package io.millrace.net;

import java.net.SocketOption;

/// Options of TCP sockets that Linux has and the JDK does not name, for `Listen.option`, `Connect.option` and
/// [Connection#options]. The transports `epoll` and `uring` know them; `nio` refuses them by name.
public final class LinuxSocketOptions {
    private LinuxSocketOptions() {}

    /// How many milliseconds what was sent may stay without an acknowledgement until the kernel gives the
    /// connection up (tcp(7)); 0 for its own patience, some 15 minutes. A peer that has vanished is noticed by
    /// that, and not one that does not read. With `SO_KEEPALIVE` it decides also how long probes go on.
    public static final SocketOption<Integer> TCP_USER_TIMEOUT = new Option("TCP_USER_TIMEOUT");

    private record Option(String name) implements SocketOption<Integer> {
        @Override
        public Class<Integer> type() {
            return Integer.class;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
