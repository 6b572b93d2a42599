package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.Listen;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpVersion;
import io.millrace.http.client.ClientSettings;
import io.millrace.http.client.HttpClient;
import io.millrace.http.door.AnyDispatch;
import io.millrace.loop.EventLoop;
import io.millrace.loop.LoopThreads;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// Where the sessions of WebSockets run: on their connection's loop, once they have earned that.
class CarriedSessionTest {
    static Stream<Arguments> everywhere() {
        return Stream.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)
                .flatMap(version -> Stream.of(Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2))
                        .map(dispatch -> Arguments.of(version, dispatch)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_session_that_has_earned_the_loop_runs_there(HttpVersion version, Dispatch dispatch) throws Exception {
        assumeTrue(LoopThreads.canCarry());
        try (var loops = EventLoops.configure().threads(1).earnAfter(20).start();
                var server = AnyDispatch.serve(
                        Listen.on(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                                .loops(loops),
                        dispatch,
                        tellsWhere(EventLoop.of(loops.next())));
                var others = EventLoops.configure().threads(1).start();
                var client =
                        HttpClient.of(ClientSettings.standard().loops(others).version(version));
                var socket = BlockingWebSocket.connect(client, "ws://127.0.0.1:" + server.port() + "/")) {
            assertEquals("elsewhere", ask(socket));
            var where = ask(socket);
            for (int i = 0; i < 20_000 && where.equals("elsewhere"); i++) where = ask(socket);
            assertEquals("on the loop", where);
        }
    }

    private static String ask(BlockingWebSocket socket) throws Exception {
        socket.send("where");
        return String.valueOf(socket.receive());
    }

    private static HttpHandler tellsWhere(EventLoop loop) {
        return request -> WebSocket.serve(request, socket -> {
            while (socket.receive() != null) socket.send(loop.inLoop() ? "on the loop" : "elsewhere");
        });
    }
}
