package io.millrace.proxy.upstream;

import java.net.InetAddress;

/// What DNS says of a name.
sealed interface DnsRecord {
    /// Of type A or AAAA (RFC 1035 section 3.4.1, RFC 3596).
    record Address(InetAddress address) implements DnsRecord {}

    /// Of type SRV (RFC 2782).
    ///
    /// @param target without a dot at its end; empty for "there is none"
    record ServiceRecord(int priority, int weight, int port, String target) implements DnsRecord {}

    /// Types that can be asked for, with their numbers.
    enum Type {
        A(1),
        AAAA(28),
        SRV(33);

        final int number;

        Type(int number) {
            this.number = number;
        }
    }
}
