package io.millrace.cli;

import io.millrace.Signals.Termination;
import io.millrace.lab.load.LoadProgress;
import io.millrace.lab.load.LoadResult;
import io.millrace.lab.load.LoadWatch;
import io.millrace.lab.load.RunningLoad;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/// Shows the progress of a load: on a terminal in a line that changes in place, elsewhere in a line each second.
final class LoadDisplay implements LoadWatch {
    private static final double MICROS_PER_MILLI = 1e3;
    private static final String BACK_TO_LINE_START = "\r";
    private static final String ERASE_REST_OF_LINE = "\033[K";

    private final PrintWriter out;
    private final LoadWords words;
    private final Supplier<Optional<String>> news;
    private final boolean isTerminal =
            Optional.ofNullable(System.console()).map(Console::isTerminal).orElse(false);

    /// The words for messages and answers.
    enum LoadWords {
        MESSAGES("messages", "messages", "messages", "came back"),
        REQUESTS("requests", "requests", "right responses", "came back"),
        DELIVERIES("messages", "deliveries", "deliveries", "were made");

        private final String sent;
        private final String counted;
        private final String back;
        private final String cameBack;

        LoadWords(String sent, String counted, String back, String cameBack) {
            this.sent = sent;
            this.counted = counted;
            this.back = back;
            this.cameBack = cameBack;
        }

        String sent() {
            return sent;
        }
    }

    LoadDisplay(PrintWriter out, LoadWords words) {
        this(out, words, Optional::empty);
    }

    /// @param news called after each second; its text is shown
    LoadDisplay(PrintWriter out, LoadWords words, Supplier<Optional<String>> news) {
        this.out = out;
        this.words = words;
        this.news = news;
    }

    /// Shows a load until it ends by itself or by a signal, then its result.
    LoadResult show(RunningLoad load, Termination signals) throws IOException, InterruptedException {
        return show(load, signals, this);
    }

    /// The same.
    ///
    /// @param watch hears of each second in place of this display
    LoadResult show(RunningLoad load, Termination signals, LoadWatch watch) throws IOException, InterruptedException {
        Thread.ofVirtual().start(() -> stopAtSignal(load, signals));
        var result = load.await(watch);
        sumUp(result);
        return result;
    }

    private static void stopAtSignal(RunningLoad load, Termination signals) {
        try {
            signals.await();
            load.stop();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void second(LoadProgress progress) {
        var line = String.format(
                Locale.ROOT,
                "%5.0f s  %s%s%s",
                progress.seconds(),
                progress.messages() == 0
                        ? "no " + words.back
                        : figures(
                                progress.messagesPerSecond(),
                                progress.megabytesPerSecond(),
                                progress.latency().p50Micros(),
                                progress.latency().p99Micros()),
                progress.errors() == 0 ? "" : "  errors " + progress.errors(),
                progress.isWarmUp() ? "  warm-up" : "");
        if (isTerminal) out.print(BACK_TO_LINE_START + line + ERASE_REST_OF_LINE);
        else out.println(line);
        news.get().ifPresent(this::tell);
        out.flush();
    }

    private void tell(String news) {
        if (isTerminal) out.println();
        out.println("         " + news);
    }

    private void sumUp(LoadResult result) {
        if (isTerminal) out.println();
        if (result.messages() == 0)
            out.println("summary  no " + words.back + " " + words.cameBack + ", so there are no times to show");
        else tellFigures(result);
        out.printf(
                Locale.ROOT,
                "         %,d %s %s in %.1f s%n",
                result.messages(),
                words.back,
                words.cameBack,
                result.seconds());
        if (!result.statuses().isEmpty()) out.println("         status" + text(result.statuses()));
        if (result.errors() > 0) {
            out.printf(Locale.ROOT, "         %,d errors, the first: %s%n", result.errors(), result.firstError());
        }
        out.flush();
    }

    private void tellFigures(LoadResult result) {
        var latency = result.latency();
        out.println("summary  "
                + figures(
                        result.messagesPerSecond(),
                        result.megabytesPerSecond(),
                        latency.p50Micros(),
                        latency.p99Micros()));
        out.printf(
                Locale.ROOT,
                "         average %.3f ms  p75 %.3f ms  p90 %.3f ms  p95 %.3f ms  p99.9 %.3f ms  slowest %.3f ms%n",
                latency.averageMicros() / MICROS_PER_MILLI,
                latency.p75Micros() / MICROS_PER_MILLI,
                latency.p90Micros() / MICROS_PER_MILLI,
                latency.p95Micros() / MICROS_PER_MILLI,
                latency.p999Micros() / MICROS_PER_MILLI,
                latency.maxMicros() / MICROS_PER_MILLI);
    }

    private static String text(Map<String, Long> statuses) {
        var text = new StringBuilder();
        statuses.forEach((name, count) -> text.append(String.format(Locale.ROOT, "  %s %,d", name, count)));
        return text.toString();
    }

    private String figures(double perSecond, double megabytesPerSecond, double p50Micros, double p99Micros) {
        return String.format(
                Locale.ROOT,
                "%,9.0f %s/s  %,7.1f MB/s  p50 %.3f ms  p99 %.3f ms",
                perSecond,
                words.counted,
                megabytesPerSecond,
                p50Micros / MICROS_PER_MILLI,
                p99Micros / MICROS_PER_MILLI);
    }

    /// 1 if something failed, or nothing came back.
    static int exitCode(LoadResult result) {
        return result.errors() > 0 || result.messages() == 0 ? 1 : 0;
    }
}
