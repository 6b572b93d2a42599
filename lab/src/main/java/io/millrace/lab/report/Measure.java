package io.millrace.lab.report;

import io.millrace.lab.stats.Better;
import io.millrace.lab.stats.Verdict;
import java.util.List;
import java.util.function.ToDoubleFunction;

/// What is measured in a round, with the words and the unit it is shown in. A round without a value gives NaN.
enum Measure {
    RATE("messages/s", Better.MORE, Round::messagesPerSecond),
    CPU_PER_MESSAGE("CPU µs/message", Better.LESS, Round::serverCpuMicrosPerMessage),
    PER_CPU_SECOND("messages/CPU s", Better.MORE, round -> 1e6 / round.serverCpuMicrosPerMessage()),
    MEGABYTES("MB/s", Better.MORE, Round::megabytesPerSecond),
    MEGABYTES_PER_CPU_SECOND(
            "MB/CPU s", Better.MORE, round -> 100 * round.megabytesPerSecond() / round.serverCpuPercent()),
    CPU_PERCENT("CPU %", Better.LESS, Round::serverCpuPercent),
    SWITCHES("switches/message", Better.LESS, Round::contextSwitchesPerMessage),
    AVERAGE("average µs", Better.LESS, round -> round.latency().averageMicros()),
    P50("p50 µs", Better.LESS, round -> round.latency().p50Micros()),
    P90("p90 µs", Better.LESS, round -> round.latency().p90Micros()),
    P99("p99 µs", Better.LESS, round -> round.latency().p99Micros()),
    P999("p99.9 µs", Better.LESS, round -> round.latency().p999Micros()),
    MAX("max µs", Better.LESS, round -> round.latency().maxMicros()),
    HEAP_USED("heap used", Better.LESS, ofJvm(Jvm::heapUsedBytes)),
    HEAP_COMMITTED("heap committed", Better.LESS, ofJvm(Jvm::heapCommittedBytes)),
    COLLECTIONS("GCs", Better.LESS, ofJvm(Jvm::gcCount)),
    PAUSE("GC ms", Better.LESS, ofJvm(Jvm::gcPauseMillis)),
    ALLOCATED("allocated B/message", Better.LESS, ofJvm(Jvm::allocatedBytesPerMessage)),
    RESIDENT("RSS", Better.LESS, Round::rssBytes);

    static final String LESS_CPU = "less CPU";
    static final String MORE_CPU = "more CPU";

    private final String words;
    private final Better better;

    // A method reference of a record: it has no state that could change.
    @SuppressWarnings("ImmutableEnumChecker")
    private final ToDoubleFunction<Round> value;

    Measure(String words, Better better, ToDoubleFunction<Round> value) {
        this.words = words;
        this.better = better;
        this.value = value;
    }

    /// @param unit what is counted, as [LoadShape#unit] tells it
    String words(String unit) {
        boolean isRegular = !unit.endsWith("y");
        var several = isRegular ? unit + "s" : unit.substring(0, unit.length() - 1) + "ies";
        return words.replace("messages", several).replace("message", unit);
    }

    Better better() {
        return better;
    }

    double of(Round round) {
        return value.applyAsDouble(round);
    }

    /// One value for each round.
    double[] of(List<Round> rounds) {
        return rounds.stream().mapToDouble(value).toArray();
    }

    /// A verdict on this measure: a cost is not "faster", it is less.
    String words(Verdict verdict) {
        return switch (verdict) {
            case NO_DIFFERENCE_SHOWN -> verdict.words();
            case FASTER -> this == CPU_PER_MESSAGE ? LESS_CPU : verdict.words();
            case SLOWER -> this == CPU_PER_MESSAGE ? MORE_CPU : verdict.words();
        };
    }

    /// Memory is easier to read in KiB and MiB than in bytes.
    String format(double amount) {
        return switch (this) {
            case HEAP_USED, HEAP_COMMITTED, RESIDENT -> Figures.bytes(amount);
            default -> Figures.number(amount);
        };
    }

    private static ToDoubleFunction<Round> ofJvm(ToDoubleFunction<Jvm> value) {
        return round -> round.jvm().map(value::applyAsDouble).orElse(Double.NaN);
    }
}
