package io.millrace.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// In which order the addresses of a host are tried.
class ConnectorTest {
    @Test
    void families_take_turns_and_the_preferred_one_begins() {
        assertEquals(
                addresses("::1", "10.0.0.1", "::2", "10.0.0.2", "::3"),
                Connector.byTurns(addresses("::1", "::2", "::3", "10.0.0.1", "10.0.0.2")));
    }

    @Test
    void one_family_stays_in_order() {
        var one = addresses("10.0.0.3", "10.0.0.1", "10.0.0.2");
        assertEquals(one, Connector.byTurns(one));
    }

    private static List<InetAddress> addresses(String... literals) {
        return Stream.of(literals).map(InetAddress::ofLiteral).toList();
    }
}
