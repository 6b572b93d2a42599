package io.millrace.sim;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/// The seeds that a scenario runs with, and the message for one that failed.
final class Seeds {
    private static final String ONE = "millrace.seed";
    private static final String MANY = "millrace.seeds";
    private static final String FIRST = "millrace.seeds.first";

    private Seeds() {}

    static void run(int count, SimulationSettings settings, Simulation.Scenario scenario) {
        var test = nameOfTest();
        chosen(count).forEach(seed -> run(seed, "replay with " + test + "-D" + ONE + "=" + seed, settings, scenario));
    }

    private static LongStream chosen(int count) {
        var one = System.getProperty(ONE);
        if (one != null) return LongStream.of(number(ONE, one));
        var many = System.getProperty(MANY);
        long seeds = many == null ? count : many(count, many);
        if (seeds < 1) throw new IllegalArgumentException(seeds + " seeds would test nothing: run 1 or more");
        var first = System.getProperty(FIRST);
        return LongStream.iterate(first == null ? 1 : number(FIRST, first), seed -> seed + 1)
                .limit(seeds);
    }

    /// `1000`, or `8x` for eight times the scenario's number; `0.5x` is half of it, rounded up.
    private static long many(int count, String many) {
        if (!many.endsWith("x")) return number(MANY, many);
        try {
            var times = new BigDecimal(many.substring(0, many.length() - 1));
            return times.multiply(BigDecimal.valueOf(count))
                    .setScale(0, RoundingMode.CEILING)
                    .longValueExact();
        } catch (ArithmeticException | NumberFormatException e) {
            throw new IllegalArgumentException("-D" + MANY + "=" + many + ": write 8x, or 0.5x for half of them", e);
        }
    }

    private static long number(String property, String value) {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("-D" + property + "=" + value + ": give it a whole number", e);
        }
    }

    private static void run(long seed, String replay, SimulationSettings settings, Simulation.Scenario scenario) {
        var network = new Simulation(seed, settings, replay);
        try (network) {
            scenario.run(network);
        } catch (Throwable e) {
            var message = "seed " + seed + ": " + e.getMessage();
            if (!message.contains(replay)) message += "\n" + replay;
            if (System.getProperty(ONE) != null) message += network.lastEvents();
            throw new AssertionError(message, e);
        }
    }

    /// `-Dtest=Class#method `, as Maven takes it.
    private static String nameOfTest() {
        Predicate<StackWalker.StackFrame> isOurs = frame -> frame.getClassName().equals(Seeds.class.getName())
                || frame.getClassName().equals(Simulation.class.getName());
        return StackWalker.getInstance()
                .walk(frames -> frames.dropWhile(isOurs).findFirst())
                .map(Seeds::selector)
                .orElse("");
    }

    private static String selector(StackWalker.StackFrame frame) {
        var simpleName = frame.getClassName().substring(frame.getClassName().lastIndexOf('.') + 1);
        var method = frame.getMethodName();
        // A lambda is named after its enclosing method: lambda$method$0.
        if (method.startsWith("lambda$")) method = method.substring("lambda$".length(), method.lastIndexOf('$'));
        return "-Dtest='" + simpleName + "#" + method + "' ";
    }
}
