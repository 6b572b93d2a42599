package io.millrace.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bytes.Input;
import io.millrace.bytes.Output;
import io.millrace.http.message.Body;
import io.millrace.http.message.BuiltResponse;
import io.millrace.http.message.Relay;
import io.millrace.http.server.Http;
import io.millrace.sim.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Responses that come when their peer has gone: nobody gets them, and nothing of them stays open.
class UnsentResponsesTest {
    private static final int PORT = 80;

    /// What a response has heard.
    private final List<String> told = new ArrayList<>();

    private final class Writing implements BodyWriter {
        @Override
        public boolean write(Output out) {
            told.add("written");
            return false;
        }

        @Override
        public void onClose() {
            told.add("closed");
        }
    }

    private final class Reading implements BodyReader {
        @Override
        public void onBody(Input part) {
            told.add("read");
        }

        @Override
        public Response onEnd() {
            told.add("ended");
            return Response.ok("read");
        }

        @Override
        public void onAbort() {
            told.add("closed");
        }
    }

    private final class Both implements BodyDuplex {
        @Override
        public void onBody(Input part, Output out) {
            told.add("read");
        }

        @Override
        public void onAbort() {
            told.add("closed");
        }
    }

    /// What it has heard in the end, when its peer has gone before it came.
    private void assertTold(List<String> expected, Response late) {
        Simulation.forEachSeed(10, network -> {
            told.clear();
            var answer = new CompletableFuture<Response>();
            try (var _ =
                    Http.listen(network.on(PORT), _ -> Response.later(answer).map(this::changed))) {
                var peer = network.connect(PORT).send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
                network.advance(Duration.ofSeconds(1));
                peer.abort();
                network.advance(Duration.ofSeconds(1));
                answer.complete(late);
                network.advance(Duration.ofSeconds(1));
            }
            assertEquals(expected, told);
        });
    }

    private Response changed(Response response) {
        told.add("changed");
        return response;
    }

    @Test
    @Tag("simulation")
    void the_writer_of_a_stream_hears_that_it_is_closed() {
        assertTold(List.of("closed"), Response.stream(200, new Writing()));
    }

    @Test
    @Tag("simulation")
    void the_reader_of_a_request_hears_that_it_is_over() {
        assertTold(List.of("closed"), Response.reading(new Reading()));
        assertTold(List.of("closed"), Response.duplex(200, new Both()));
    }

    @Test
    @Tag("simulation")
    void who_answers_elsewhere_hears_that_nobody_waits() {
        var relay = new Relay(Optional.empty(), () -> told.add("closed"));
        assertTold(List.of("closed"), BuiltResponse.of(200, new Body.Relayed(relay)));
    }

    @Test
    @Tag("simulation")
    void what_comes_even_later_hears_it_then() {
        var stream = Response.stream(200, new Writing());
        assertTold(List.of("closed"), Response.later(CompletableFuture.completedStage(stream)));
    }

    @Test
    @Tag("simulation")
    void what_has_not_begun_never_does() {
        assertTold(List.of(), Response.push(200, _ -> told.add("pushed")));
        assertTold(List.of(), Response.events(_ -> told.add("events")));
        assertTold(List.of(), Response.blocking(200, _ -> told.add("written")));
        assertTold(List.of(), Response.ok("whole"));
    }
}
