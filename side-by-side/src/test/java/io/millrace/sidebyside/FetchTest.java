package io.millrace.sidebyside;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.testing.EndsChildren;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A client with a timeout and retries, which can be cancelled. The server is this test.
@Tag("slow")
@ExtendWith(EndsChildren.class)
class FetchTest {
    private static final String LONG = "60000";

    private ServerSocket server;

    static List<Side> sides() {
        return Row.FETCH.sides();
    }

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    @ParameterizedTest
    @MethodSource("sides")
    void an_answer_that_comes_with_the_third_attempt_is_the_answer(Side side) throws Exception {
        try (var program = Program.start(Row.FETCH, side, uri(), LONG)) {
            answer("503 Service Unavailable", "busy");
            // A connection that ends without a response is a failure, too.
            accept().close();
            answer("200 OK", "hello");
            assertEquals("200 hello", program.line());
        }
    }

    @ParameterizedTest
    @MethodSource("sides")
    void there_is_no_fourth_attempt(Side side) throws Exception {
        try (var program = Program.start(Row.FETCH, side, uri(), LONG)) {
            for (int i = 0; i < 3; i++) answer("503 Service Unavailable", "busy");
            assertEquals("503 busy", program.line());
        }
    }

    @ParameterizedTest
    @MethodSource("sides")
    void an_answer_that_does_not_come_in_time_is_not_waited_for(Side side) throws Exception {
        try (var program = Program.start(Row.FETCH, side, uri(), "300");
                var _ = accept()) {
            assertEquals("timed out", program.line());
        }
    }

    @ParameterizedTest
    @MethodSource("sides")
    void enter_cancels_and_ends_the_connection(Side side) throws Exception {
        try (var program = Program.start(Row.FETCH, side, uri(), LONG);
                var connection = accept()) {
            program.enter();
            assertEquals("cancelled", program.line());
            assertEnds(connection);
        }
    }

    private static void assertEnds(Socket connection) throws IOException {
        try {
            assertEquals(-1, connection.getInputStream().read());
        } catch (SocketException e) {
            assertEquals("Connection reset", e.getMessage());
        }
    }

    private String uri() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/";
    }

    private void answer(String status, String body) throws IOException {
        try (var connection = accept()) {
            var head = "HTTP/1.1 " + status + "\r\nConnection: close\r\nContent-Length: " + body.length() + "\r\n\r\n";
            connection.getOutputStream().write((head + body).getBytes(UTF_8));
        }
    }

    /// A connection whose request has come.
    private Socket accept() throws IOException {
        var connection = server.accept();
        var lines = new BufferedReader(new InputStreamReader(connection.getInputStream(), UTF_8));
        var line = lines.readLine();
        assertTrue(line != null && line.startsWith("GET / "), line);
        while (line != null && !line.isEmpty()) line = lines.readLine();
        return connection;
    }
}
