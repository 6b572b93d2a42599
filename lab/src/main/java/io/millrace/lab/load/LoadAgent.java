package io.millrace.lab.load;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.EventLoops;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// The load generator in a process of its own, so that the lab can give it cores, or a network, of its own. It
/// reads an order from each line of standard input and answers with lines on standard output, both JSON; it ends
/// with its input.
public final class LoadAgent {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final EventLoops loops;
    private final PrintStream out;
    private Optional<IdleConnections> held = Optional.empty();

    private LoadAgent(EventLoops loops, PrintStream out) {
        this.loops = loops;
        this.out = out;
    }

    /// Carries out orders until there are no more.
    ///
    /// @param arguments how many event loops, a thread each
    public static void main(String[] arguments) throws IOException, InterruptedException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (var loops = EventLoops.of(Integer.parseInt(arguments[0]))) {
            var agent = new LoadAgent(loops, System.out);
            agent.say(new LoadAnswer.Ready());
            for (String line; (line = in.readLine()) != null; ) agent.carryOut(order(line));
        }
    }

    private void carryOut(LoadOrder order) throws InterruptedException {
        try {
            switch (order.kind()) {
                case LOAD -> load(order);
                case CHECK -> check(order);
                case HOLD -> hold(order);
                case RELEASE -> release();
            }
        } catch (IOException e) {
            say(new LoadAnswer.Failed(String.valueOf(e.getMessage())));
        }
    }

    private void load(LoadOrder order) throws IOException, InterruptedException {
        var load = RunningLoad.start(order.settings(), loops);
        var begun = load.begun().thenRun(() -> say(new LoadAnswer.Begun()));
        var result = load.await(
                second -> say(new LoadAnswer.Second(second.messagesPerSecond(), second.megabytesPerSecond())));
        begun.toCompletableFuture().join();
        // A server that is paused before it has seen the ends would wake to them in its next turn.
        load.closed().toCompletableFuture().join();
        say(new LoadAnswer.Done(result));
    }

    private void check(LoadOrder order) throws IOException, InterruptedException {
        try (var judge = Judge.of(order)) {
            switch (order.exchange()) {
                case PAGES, STREAMED_PAGES -> PageCheck.run(judge, order.sizeBytes());
                case BODIES -> EchoCheck.run(judge, order.sizeBytes());
                // nghttpd knows types by the ends of names only.
                default -> PlaintextCheck.run(judge, !order.exchange().isHttp2());
            }
        }
        say(new LoadAnswer.Checked());
    }

    private void hold(LoadOrder order) throws IOException, InterruptedException {
        if (held.isPresent()) throw new IOException("connections are held already: release them first");
        held = Optional.of(IdleConnections.open(order.settings(), order.messages() > 0, loops));
        say(new LoadAnswer.Held(order.connections()));
    }

    private void release() {
        if (held.isEmpty()) return;
        int stillOpen = held.get().stillOpen();
        held.get().close();
        held = Optional.empty();
        say(new LoadAnswer.Held(stillOpen));
    }

    private synchronized void say(LoadAnswer answer) {
        out.println(text(answer));
        out.flush();
    }

    // The lines.

    /// As a line for [#main].
    public static String text(LoadOrder order) {
        return json(order);
    }

    static String text(LoadAnswer answer) {
        return json(answer);
    }

    private static String json(Object value) {
        try {
            return JSON.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static LoadOrder order(String line) throws IOException {
        return JSON.readValue(line, LoadOrder.class);
    }

    /// Reads a line from an agent.
    public static LoadAnswer answer(String line) throws IOException {
        return JSON.readValue(line, LoadAnswer.class);
    }
}
