package io.millrace.net;

import java.net.SocketOption;

/// TCP socket options of Linux that the JDK does not name, for `Listen.option`, `Connect.option` and
/// [Connection#options]. The transports `epoll` and `uring` know them; `nio` refuses them by name.
public final class LinuxSocketOptions {
    private LinuxSocketOptions() {}

    /// How many milliseconds sent bytes may stay unacknowledged until the kernel drops the connection (tcp(7)); 0
    /// for the kernel's default, some 15 minutes. This detects a peer that has vanished, but not one that does not
    /// read. With `SO_KEEPALIVE` it also limits how long probes go on.
    public static final SocketOption<Integer> TCP_USER_TIMEOUT = new Option("TCP_USER_TIMEOUT");

    /// No record: the JDK would make classes at each start to compare it.
    private static final class Option implements SocketOption<Integer> {
        private final String name;

        private Option(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

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
