package io.millrace.http.websocket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.Dispatch;
import io.millrace.EventLoops;
import io.millrace.http.HttpHandler;
import io.millrace.http.HttpLimits;
import io.millrace.http.Serving;
import io.millrace.http.door.AnyDispatch;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A WebSocket that one thread pauses and its loop resumes, in one turn: the loop does that at once, and what another
/// thread wants comes as a task.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WebSocketPauseOrderTest {
    static Dispatch[] everywhere() {
        return new Dispatch[] {Dispatch.loop(), Dispatch.virtual(), Dispatch.pool(2)};
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void a_pause_that_is_on_its_way_does_not_overtake_the_resumption_after_it(Dispatch dispatch) throws Exception {
        var heard = new LinkedBlockingQueue<String>();
        var opened = new CompletableFuture<WebSocket>();
        HttpHandler app = request -> WebSocket.accept(request, socket -> {
            opened.complete(socket);
            return heard::add;
        });
        var loops = EventLoops.of(1);
        try (var serving = new Serving(
                        loops, AnyDispatch.serve(Serving.free(loops), dispatch, HttpLimits.standard(), app));
                var peer = JdkSocket.open(serving.url("/"))) {
            var socket = opened.get(20, TimeUnit.SECONDS);
            CompletableFuture.runAsync(() -> pauseElsewhereAndResume(socket), loops.next())
                    .get();
            peer.send("a");
            assertEquals("a", heard.poll(20, TimeUnit.SECONDS));
        }
    }

    private static void pauseElsewhereAndResume(WebSocket socket) {
        CompletableFuture.runAsync(socket::pause, Thread.ofPlatform()::start).join();
        socket.resume();
    }
}
