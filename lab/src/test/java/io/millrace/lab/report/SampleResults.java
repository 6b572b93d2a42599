package io.millrace.lab.report;

import io.millrace.lab.load.Latency;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/// Results made of seeded noise, so that the faces have something to show.
final class SampleResults {
    static final LoadShape SMALL = LoadShape.echo(1024, 50, "pool:2");
    static final LoadShape LARGE = LoadShape.echo(5 * 1024, 50, "pool:2");
    static final int ROUNDS = 5;

    private SampleResults() {}

    /// Three peers at two sizes: the baseline, one that is twice as fast, and the baseline again under another
    /// name.
    static Results of(String faster) {
        var cells = new ArrayList<Cell>();
        for (var shape : List.of(SMALL, LARGE)) {
            cells.add(cell("netty-epoll", shape, 40_000, Optional.of(jvm())));
            cells.add(cell(faster, shape, 80_000, Optional.of(jvm())));
            cells.add(cell("c-epoll", shape, 40_100, Optional.empty()));
        }
        return results(cells);
    }

    static Results results(List<Cell> cells) {
        return new Results(
                Results.FORMAT,
                machine(),
                method("executor"),
                cells,
                List.of(new Unmeasured("t-io", SMALL, "did not listen within 15 s")),
                List.of(new Idle("netty-epoll", 5_000, 1, 2_345, 4_096), new Idle("c-epoll", 5_000, 1, -1, 66_000)),
                List.of(new FirstUse("netty-epoll", 10_000, 20 << 20, 64 << 20, 1, 100 << 20, 5 << 20)));
    }

    static Machine machine() {
        return new Machine(
                "Example CPU",
                2,
                "6.1.0",
                "25.0.1",
                "performance",
                "spectre_v2: mitigated",
                0.25,
                "2026-11-22T02:00:00Z",
                List.of("another process used 12 % of the CPU"));
    }

    static Method method(String workload) {
        return new Method(
                workload,
                "millrace lab executor --quick",
                "-Xmx256m",
                "netty-epoll",
                ROUNDS,
                2,
                "0",
                "1",
                "",
                "loopback");
    }

    static Cell cell(String peer, LoadShape shape, double rate, Optional<Jvm> jvm) {
        var random = new SplittableRandom(peer.hashCode() + 31L * shape.hashCode());
        var rounds = IntStream.range(0, ROUNDS)
                .mapToObj(i -> round(rate * (1 + random.nextGaussian() / 50), shape, jvm, ""))
                .toList();
        return new Cell(peer, shape, rounds);
    }

    static Round round(double rate, LoadShape shape, Optional<Jvm> jvm, String invalidBecause) {
        var micros = 1e6 / rate;
        var latency = new Latency(
                50 * micros,
                45 * micros,
                52 * micros,
                60 * micros,
                70 * micros,
                90 * micros,
                200 * micros,
                900 * micros);
        var moments = List.of(moment(1, rate * 0.98), moment(2, rate * 1.02));
        var megabytes = rate * shape.sizeBytes() / 1e6;
        return new Round(
                rate,
                megabytes,
                96,
                0.96 * micros,
                1.5,
                latency,
                jvm,
                120 << 20,
                moments,
                false,
                invalidBecause.isEmpty() ? 0 : 1,
                invalidBecause);
    }

    private static Moment moment(int second, double rate) {
        return new Moment(second, rate, 95 + second, rate / 1000, rate / 100);
    }

    static Jvm jvm() {
        return new Jvm(30 << 20, 64 << 20, 3, 12.5, 48);
    }
}
