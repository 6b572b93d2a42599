package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.loop.HostLookup;
import io.millrace.loop.Wording;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1:80",
                "0.0.0.0:0",
                "[::1]:443",
                "[::]:65535",
                "[2001:db8::7:0:0:1]:1",
                "example.org:80",
                "unix:/run/my.sock",
                "unix:relative:odd"
            })
    void an_address_is_written_as_it_is_read(String text) {
        assertEquals(text, Wording.of(new HostPortOption.ToListen().convert(text)));
    }

    @ParameterizedTest
    @CsvSource({"[0:0:0:0:0:0:0:1]:7, [::1]:7", "[fe80:0:0:0:1:0:0:1]:7, [fe80::1:0:0:1]:7"})
    void zeros_of_IPv6_are_shortened_once(String text, String shortened) {
        assertEquals(shortened, Wording.of(new HostPortOption.ToListen().convert(text)));
    }

    @ParameterizedTest
    @ValueSource(strings = {":7007", "*:7007"})
    void no_host_is_the_wildcard(String text) {
        var address = (InetSocketAddress) new HostPortOption.ToListen().convert(text);
        assertEquals(true, address.getAddress().isAnyLocalAddress());
        assertEquals(7007, address.getPort());
    }

    @Test
    void a_name_is_looked_up_when_it_is_needed() throws UnknownHostException {
        var address = (InetSocketAddress) new HostPortOption.ToConnect().convert("localhost:80");
        assertEquals(true, address.isUnresolved());
        var resolved = (InetSocketAddress) HostLookup.resolved(address);
        assertEquals(true, resolved.getAddress().isLoopbackAddress());
    }
}
