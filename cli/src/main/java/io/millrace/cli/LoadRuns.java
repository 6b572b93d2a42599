package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.Signals.Termination;
import io.millrace.lab.load.LoadCsv;
import io.millrace.lab.load.LoadJson;
import io.millrace.lab.load.LoadResult;
import io.millrace.lab.load.LoadSettings;
import io.millrace.lab.load.LoadWatch;
import io.millrace.lab.load.RunningLoad;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;

/// Loads on one server, one after the other, with what they showed.
final class LoadRuns {
    private final PrintWriter out;
    private final LoadDisplay display;
    private final LoadDisplay.LoadWords words;
    private final Optional<Path> csv;
    private final SequencedMap<LoadSettings, LoadResult> results = new LinkedHashMap<>();

    LoadRuns(PrintWriter out, LoadDisplay.LoadWords words, Optional<Path> csv) {
        this.out = out;
        this.display = new LoadDisplay(out, words);
        this.words = words;
        this.csv = csv;
    }

    /// Shows each of them, and all of them in a table if there are several. A signal ends the current one, and no
    /// other begins.
    ///
    /// @return the exit code
    int run(List<LoadSettings> all, EventLoops loops, Termination signals) throws IOException, InterruptedException {
        if (csv.isEmpty()) return run(all, loops, signals, display, () -> {});
        try (var file = new LoadCsv(csv.get())) {
            LoadWatch watch = progress -> {
                display.second(progress);
                file.second(progress);
            };
            return run(all, loops, signals, watch, file::nextStage);
        }
    }

    private int run(List<LoadSettings> all, EventLoops loops, Termination signals, LoadWatch watch, Runnable nextStage)
            throws IOException, InterruptedException {
        int code = 0;
        for (var settings : all) {
            nextStage.run();
            if (all.size() > 1)
                out.println("stage " + (results.size() + 1) + " of " + all.size() + ": " + text(settings));
            var result = display.show(RunningLoad.start(settings, loops), signals, watch);
            results.put(settings, result);
            // Such figures are about the load generator, not the server.
            boolean isValid = result.invalidBecause().isEmpty();
            if (!isValid) out.println("invalid  " + result.invalidBecause());
            code = Math.max(code, isValid ? LoadDisplay.exitCode(result) : 1);
            if (signals.await(Duration.ZERO)) break;
        }
        if (all.size() > 1) table();
        return code;
    }

    private String text(LoadSettings stage) {
        return String.format(
                Locale.ROOT,
                "%,.0f %s/s for %d s",
                stage.messagesPerSecond(),
                words.sent(),
                stage.duration().toSeconds());
    }

    private void table() {
        out.println("stage     offered/s      came/s    p50 ms    p95 ms    p99 ms  p99.9 ms    errors");
        int number = 0;
        for (var stage : results.entrySet()) {
            var result = stage.getValue();
            var latency = result.latency();
            out.printf(
                    Locale.ROOT,
                    "%5d  %,12.0f  %,10.0f  %8.3f  %8.3f  %8.3f  %8.3f  %,8d%n",
                    ++number,
                    stage.getKey().messagesPerSecond(),
                    result.messagesPerSecond(),
                    latency.p50Micros() / 1e3,
                    latency.p95Micros() / 1e3,
                    latency.p99Micros() / 1e3,
                    latency.p999Micros() / 1e3,
                    result.errors());
        }
        out.flush();
    }

    /// Writes the results as JSON.
    void write(Path json) throws IOException {
        var first = results.firstEntry();
        if (results.size() > 1) LoadJson.write(json, results);
        else LoadJson.write(json, first.getKey(), first.getValue());
    }
}
