package io.millrace.os;

import static io.millrace.os.Constants.AF_INET;
import static io.millrace.os.Constants.AF_INET6;
import static io.millrace.os.Constants.AF_UNIX;
import static io.millrace.os.Constants.IPPROTO_IP;
import static io.millrace.os.Constants.IPPROTO_IPV6;
import static io.millrace.os.Constants.IPPROTO_TCP;
import static io.millrace.os.Constants.IPV6_V6ONLY;
import static io.millrace.os.Constants.IP_TOS;
import static io.millrace.os.Constants.SOL_SOCKET;
import static io.millrace.os.Constants.SO_ERROR;
import static io.millrace.os.Constants.SO_KEEPALIVE;
import static io.millrace.os.Constants.SO_LINGER;
import static io.millrace.os.Constants.SO_RCVBUF;
import static io.millrace.os.Constants.SO_REUSEADDR;
import static io.millrace.os.Constants.SO_REUSEPORT;
import static io.millrace.os.Constants.SO_SNDBUF;
import static io.millrace.os.Constants.TCP_KEEPCNT;
import static io.millrace.os.Constants.TCP_KEEPIDLE;
import static io.millrace.os.Constants.TCP_KEEPINTVL;
import static io.millrace.os.Constants.TCP_NODELAY;
import static io.millrace.os.Constants.TCP_QUICKACK;
import static io.millrace.os.Constants.TCP_USER_TIMEOUT;
import static io.millrace.os.Descriptors.ok;
import static io.millrace.os.TestedConstants.IPV6_TCLASS;
import static io.millrace.os.TestedConstants.SO_INCOMING_CPU;
import static io.millrace.os.TestedConstants.TCP_DEFER_ACCEPT;
import static io.millrace.os.TestedConstants.TCP_FASTOPEN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@EnabledOnOs(OS.LINUX)
class SocketOptionTest {
    private final Descriptors descriptors = new Descriptors();
    private final Linux linux = descriptors.linux;

    @AfterEach
    void close() {
        descriptors.close();
    }

    static Stream<Arguments> options() {
        return Stream.of(
                Arguments.of("SO_REUSEADDR", AF_INET, SOL_SOCKET, SO_REUSEADDR, 1, 1),
                Arguments.of("SO_REUSEPORT", AF_INET, SOL_SOCKET, SO_REUSEPORT, 1, 1),
                Arguments.of("SO_KEEPALIVE", AF_INET, SOL_SOCKET, SO_KEEPALIVE, 1, 1),
                Arguments.of("SO_RCVBUF", AF_INET, SOL_SOCKET, SO_RCVBUF, 20_000, 40_000),
                Arguments.of("SO_SNDBUF", AF_INET, SOL_SOCKET, SO_SNDBUF, 20_000, 40_000),
                Arguments.of("SO_SNDBUF, Unix", AF_UNIX, SOL_SOCKET, SO_SNDBUF, 20_000, 40_000),
                Arguments.of("SO_INCOMING_CPU", AF_INET, SOL_SOCKET, SO_INCOMING_CPU, 0, 0),
                Arguments.of("TCP_NODELAY", AF_INET, IPPROTO_TCP, TCP_NODELAY, 1, 1),
                Arguments.of("TCP_NODELAY, IPv6", AF_INET6, IPPROTO_TCP, TCP_NODELAY, 1, 1),
                Arguments.of("TCP_KEEPIDLE", AF_INET, IPPROTO_TCP, TCP_KEEPIDLE, 61, 61),
                Arguments.of("TCP_KEEPINTVL", AF_INET, IPPROTO_TCP, TCP_KEEPINTVL, 17, 17),
                Arguments.of("TCP_KEEPCNT", AF_INET, IPPROTO_TCP, TCP_KEEPCNT, 3, 3),
                Arguments.of("TCP_USER_TIMEOUT", AF_INET, IPPROTO_TCP, TCP_USER_TIMEOUT, 12_345, 12_345),
                Arguments.of("TCP_QUICKACK", AF_INET, IPPROTO_TCP, TCP_QUICKACK, 0, 0),
                Arguments.of("TCP_DEFER_ACCEPT", AF_INET, IPPROTO_TCP, TCP_DEFER_ACCEPT, 1, 1),
                Arguments.of("IP_TOS", AF_INET, IPPROTO_IP, IP_TOS, 0x10, 0x10),
                Arguments.of("IPV6_TCLASS", AF_INET6, IPPROTO_IPV6, IPV6_TCLASS, 0x20, 0x20),
                Arguments.of("IPV6_V6ONLY", AF_INET6, IPPROTO_IPV6, IPV6_V6ONLY, 1, 1));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("options")
    void an_option_reads_back_as_set(String option, int family, int level, int name, int set, int read) {
        int socket = descriptors.socket(family);
        assertNotEquals(read, linux.getsockopt(socket, level, name), option + " has the value before it is set");
        ok(linux.setsockopt(socket, level, name, set));
        assertEquals(read, linux.getsockopt(socket, level, name));
    }

    @Test
    void an_option_can_be_turned_off_again() {
        int socket = descriptors.socket(AF_INET);
        ok(linux.setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, 1));
        ok(linux.setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, 0));
        assertEquals(0, linux.getsockopt(socket, IPPROTO_TCP, TCP_NODELAY));
    }

    @Test
    void a_negative_value_is_told_from_an_error() {
        int socket = descriptors.socket(AF_INET);
        assertEquals(-1, (int) linux.getsockopt(socket, SOL_SOCKET, SO_INCOMING_CPU));
    }

    @Test
    void fast_open_has_a_queue_on_a_listener() throws IOException {
        int listener = descriptors.listener();
        ok(linux.setsockopt(listener, IPPROTO_TCP, TCP_FASTOPEN, 5));
        assertEquals(5, linux.getsockopt(listener, IPPROTO_TCP, TCP_FASTOPEN));
    }

    @Test
    void linger_reads_back_as_set() {
        int socket = descriptors.socket(AF_INET);
        ok(linux.setLinger(socket, 7));
        assertEquals(1L | (7L << 32), linger(socket));
        ok(linux.setLinger(socket, 0));
        assertEquals(1L, linger(socket));
        ok(linux.setLinger(socket, -1));
        assertEquals(0L, linger(socket));
    }

    private long linger(int socket) {
        long address = descriptors.memory(8).address();
        assertEquals(8, linux.getsockopt(socket, SOL_SOCKET, SO_LINGER, address, 8));
        return RawMemory.getLong(address);
    }

    @Test
    void the_pending_error_of_a_fresh_socket_is_none() {
        assertEquals(0, linux.getsockopt(descriptors.socket(AF_INET), SOL_SOCKET, SO_ERROR));
    }
}
