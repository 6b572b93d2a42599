package io.millrace.lab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.lab.load.LoadOrder.Kind;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoadAgentTest {
    @Test
    void orders_are_read_as_they_were_written() throws IOException {
        for (var kind : Kind.values()) {
            var order = new LoadOrder(
                            kind, "127.0.0.1", 7007, "chain.pem", 50, Exchange.REQUESTS, 13, 16, 0.3, 1.5, 0, true, 5)
                    .messages(7);
            assertEquals(order, LoadAgent.order(LoadAgent.text(order)));
        }
    }

    @Test
    void answers_are_read_as_they_were_written() throws IOException {
        var result = new LoadResult(
                7, 1.5, 640, Map.of("2xx", 7L), 1, "a \"byte\"\n", new Latency(1, 2, 3, 4, 5, 6, 7, 8), 0.97, "busy");
        List<LoadAnswer> answers = List.of(
                new LoadAnswer.Ready(),
                new LoadAnswer.Begun(),
                new LoadAnswer.Second(12_345.5, 7.25),
                new LoadAnswer.Done(result),
                new LoadAnswer.Checked(),
                new LoadAnswer.Held(5000),
                new LoadAnswer.Failed("no"));
        for (var answer : answers) {
            var line = LoadAgent.text(answer);
            assertEquals(1, line.lines().count(), line);
            assertEquals(answer, LoadAgent.answer(line));
        }
    }
}
