package io.millrace.cli;

import io.millrace.cli.DayConnection.Answer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/// Clients of a day: some that keep their connections and some that do not, in the clear, over TLS and on layer 4.
/// Each asks at a steady pace, and looks at every byte of every answer.
final class DayLoad implements AutoCloseable {
    private static final long PACE_NANOS = 40_000_000;
    private static final int MOST_ON_ONE = 300;
    private static final int NO_BODY = 0;

    enum Door {
        PLAIN,
        SECURE,
        BYTES
    }

    /// A request that got no right answer.
    ///
    /// @param id which its line in the access log has in its path
    record Failed(String id, Door door, long fromNanos, long toNanos, String how) {}

    private final Map<Door, Integer> ports = new EnumMap<>(Door.class);
    private final List<Thread> clients = new ArrayList<>();
    private volatile boolean isOver;

    final LongAdder answered = new LongAdder();

    /// Of these, those of layer 7, each of which has a line in the access log.
    final LongAdder logged = new LongAdder();

    final Queue<Failed> failed = new ConcurrentLinkedQueue<>();

    /// Requests on connections that had been closed, which then got their answers on others.
    final Queue<Failed> sentAgain = new ConcurrentLinkedQueue<>();

    private final SSLContext tls = new CredulousClient().context();

    /// @param ports of the doors, in their order
    DayLoad(List<Integer> ports, long seed) {
        for (var door : Door.values()) this.ports.put(door, ports.get(this.ports.size()));
        int number = 0;
        for (var door : Door.values()) {
            for (int most : new int[] {MOST_ON_ONE, MOST_ON_ONE, 1}) {
                var luck = new Random(seed + number);
                var name = door.name().charAt(0) + "" + number++;
                clients.add(Thread.ofVirtual().name(name).start(() -> ask(door, most, name, luck)));
            }
        }
    }

    private void ask(Door door, int mostOnOne, String name, Random luck) {
        DayConnection kept = null;
        long at = System.nanoTime() + luck.nextLong(PACE_NANOS);
        int left = 0;
        for (int number = 0; !isOver; number++) {
            for (long wait = at - System.nanoTime(); wait > 0; wait = at - System.nanoTime())
                LockSupport.parkNanos(wait);
            // A client that was held up does not catch up.
            at = Math.max(at, System.nanoTime() - PACE_NANOS) + PACE_NANOS / 2 + luck.nextLong(PACE_NANOS);
            if (kept != null && (!kept.isKept || left == 0)) {
                kept.close();
                kept = null;
            }
            if (kept == null) left = mostOnOne;
            left--;
            kept = ask(kept, door, Question.drawn(name + "-" + number, luck));
        }
        if (kept != null) kept.close();
    }

    private record Question(String id, String method, String path, int size) {
        static Question drawn(String id, Random luck) {
            int kind = luck.nextInt(100);
            if (kind < 75) return get(id, "get", 1 + luck.nextInt(4096));
            if (kind < 85) return get(id, "chunked", 1 + luck.nextInt(96 << 10));
            if (kind < 98) {
                int size = luck.nextInt(kind < 92 ? 2 << 10 : 160 << 10);
                return new Question(id, "PUT", "/put/" + id + "/" + size, size);
            }
            return get(id, "get", 1 << 20);
        }

        private static Question get(String id, String how, int size) {
            return new Question(id, "GET", "/" + how + "/" + id + "/" + size, size);
        }

        byte[] body() {
            return method.equals("PUT") ? DayBackend.content(id, size) : new byte[NO_BODY];
        }

        /// Empty if it is right.
        String wrong(Answer answer) {
            if (answer.status() != 200) return "answered with " + answer.status();
            var expected = method.equals("PUT")
                    ? DayBackend.INTACT.getBytes(StandardCharsets.US_ASCII)
                    : DayBackend.content(id, size);
            return Arrays.equals(expected, answer.body()) ? "" : "a wrong body of " + answer.body().length + " bytes";
        }
    }

    /// @return the connection for the next one
    private @Nullable DayConnection ask(@Nullable DayConnection kept, Door door, Question question) {
        long from = System.nanoTime();
        var on = kept;
        try {
            if (on == null) on = DayConnection.open(ports.getOrDefault(door, 0), door == Door.SECURE ? tls : null);
            var answer = on.ask(question.method, question.path, question.body());
            answered.increment();
            if (door != Door.BYTES) logged.increment();
            var wrong = question.wrong(answer);
            if (!wrong.isEmpty()) failed.add(failure(question, door, from, wrong));
            return on;
        } catch (IOException | RuntimeException e) {
            if (on != null) on.close();
            boolean isToRepeat = on != null && e instanceof IOException && on.mayBeAskedElsewhere();
            (isToRepeat ? sentAgain : failed).add(failure(question, door, from, e.toString()));
            return isToRepeat ? ask(null, door, question) : null;
        }
    }

    private static Failed failure(Question question, Door door, long from, String how) {
        return new Failed(question.id, door, from, System.nanoTime(), question.method + " " + how);
    }

    @Override
    public void close() {
        isOver = true;
        for (var client : clients) DayService.join(client);
    }
}
