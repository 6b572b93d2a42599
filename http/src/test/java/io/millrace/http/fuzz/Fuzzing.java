package io.millrace.http.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/// Runs a target guided by coverage, with Jazzer (`make fuzz TARGET=request SECONDS=600`): inputs that reach
/// something new go to `target/fuzz/NAME/found`, and one that breaks a property to `crash-…` beside it, which is also
/// how it ends.
final class Fuzzing {
    private Fuzzing() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        var target = Targets.valueOf(arguments[0].toUpperCase(Locale.ROOT));
        var folder = Files.createDirectories(Path.of("target/fuzz", target.label()));
        var seeds = Files.createDirectories(folder.resolve("seeds"));
        var found = Files.createDirectories(folder.resolve("found"));
        int number = 0;
        for (var seed : target.seeds()) Files.write(seeds.resolve("seed-" + number++), seed);
        // A JVM of its own: classes that are loaded already cannot be watched.
        var command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-ea",
                "-Xmx1g",
                "-XX:+EnableDynamicAgentLoading",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path"),
                "com.code_intelligence.jazzer.Jazzer",
                "--target_class=" + target.type.getName(),
                "--instrumentation_includes=io.millrace.**",
                "--reproducer_path=" + folder,
                "-artifact_prefix=" + folder + "/",
                "-max_total_time=" + arguments[1],
                "-timeout=20",
                "-print_final_stats=1",
                found.toString(),
                seeds.toString());
        System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
    }
}
