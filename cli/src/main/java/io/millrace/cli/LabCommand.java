package io.millrace.cli;

import io.millrace.lab.Catalogue;
import io.millrace.lab.Protocol;
import io.millrace.lab.Workload;
import io.millrace.lab.report.Comparison;
import io.millrace.lab.report.Markdown;
import io.millrace.lab.report.ResultsFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/// `millrace lab`: compares network frameworks on this machine.
@Command(
        name = "lab",
        synopsisSubcommandLabel = "COMMAND",
        description = "Compare network frameworks on this machine: the published comparisons, run again.")
final class LabCommand {
    private LabCommand() {}

    static CommandLine commandLine() {
        var lab = new CommandLine(new LabCommand());
        for (var workload : Workload.values()) {
            lab.addSubcommand(workload.command(), LabRun.commandLine(workload));
        }
        return lab.addSubcommand(new Inventory()).addSubcommand(new Compare());
    }

    /// The project folder, which contains the peers; the launcher passes it.
    static Path home() {
        return Path.of(System.getProperty("millrace.home", ""));
    }

    /// `millrace lab list`.
    @Command(name = "list", description = "List the workloads and the peers, and why some cannot be started here.")
    private static final class Inventory extends Subcommand {
        @Override
        public Integer call() throws InterruptedException {
            var out = out();
            out.println("workloads");
            for (var workload : Workload.values()) out.printf("  %-24s %s%n", workload.command(), workload.words());
            for (var protocol : Protocol.values()) {
                var workloads = workloads(protocol);
                var names = workloads.stream().map(Workload::command).collect(Collectors.joining(", "));
                out.println("peers of " + names);
                var catalogue = Catalogue.of(home(), workloads.getFirst(), 1, Map.of());
                for (var entry : catalogue.entries()) {
                    var why = entry.unavailableBecause();
                    out.printf("  %-30s %s%n", entry.name(), why.isEmpty() ? "available" : why);
                }
            }
            return 0;
        }

        private static List<Workload> workloads(Protocol protocol) {
            return Stream.of(Workload.values())
                    .filter(workload -> workload.protocol() == protocol)
                    .toList();
        }
    }

    /// `millrace lab compare`.
    @Command(
            name = "compare",
            description = "Show what changed beyond noise between two results of the lab. The exit code is 1 when"
                    + " something got worse.")
    private static final class Compare extends Subcommand {
        @Parameters(index = "0", paramLabel = "BEFORE", description = "A JSON file that the lab wrote.")
        @SuppressWarnings("NullAway.Init")
        private Path before;

        @Parameters(index = "1", paramLabel = "AFTER", description = "Another one.")
        @SuppressWarnings("NullAway.Init")
        private Path after;

        @Override
        public Integer call() throws IOException {
            var comparison = Comparison.of(ResultsFile.read(before), ResultsFile.read(after));
            print(Markdown.of(comparison));
            return comparison.hasWorse() ? 1 : 0;
        }
    }
}
