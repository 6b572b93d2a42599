package io.millrace.cli;

import io.millrace.TransportKind;
import io.millrace.Transports;
import io.millrace.cli.Echo.EchoStyle;
import io.millrace.cli.LoadTcp.Verify;
import io.millrace.cli.Proxy.Slabs;
import io.millrace.loop.Wording;
import io.millrace.net.LoopBroken;
import io.millrace.proxy.configuration.Configuration.UpstreamLoops;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.UnmatchedArgumentException;

/// The command `millrace`: finds the subcommand, runs it and turns the outcome into an exit code.
///
/// 0 means done, 1 failed, 2 a wrong command line. For 1 and 2 a sentence on standard error says why.
@Command(
        name = "millrace",
        description = {
            "Network servers and proxies at the speed of the kernel.",
            "",
            "--memory SIZE before the command divides the size between heap, buffers and code, as in",
            "  millrace --memory 256m proxy --config proxy.yaml"
        },
        mixinStandardHelpOptions = true,
        versionProvider = Main.class,
        scope = ScopeType.INHERIT,
        synopsisSubcommandLabel = "COMMAND")
public final class Main implements IVersionProvider {
    private static final Set<String> SERVERS = Set.of("echo", "http", "proxy");

    private Main() {}

    public static void main(String[] args) {
        var meant = meant(args);
        linkMeanwhile(meant);
        System.exit(commandLine(meant).execute(meant));
    }

    /// A server needs the way into the kernel, and linking that takes as long as picocli needs for the options: both
    /// at once. What does not work here is told later, by who uses it.
    private static void linkMeanwhile(String... args) {
        if (args.length == 0 || !SERVERS.contains(args[0]) || List.of(args).contains("nio")) return;
        Thread.ofPlatform()
                .daemon()
                .name("millrace-link")
                .start(() -> Transports.unavailableBecause(TransportKind.EPOLL));
    }

    /// Accepts `millrace help COMMAND`, which many type first.
    static String[] meant(String... args) {
        if (args.length == 0 || !args[0].equals("help")) return args;
        var meant = Arrays.copyOfRange(args, 1, args.length + 1);
        meant[args.length - 1] = "--help";
        return meant;
    }

    /// The whole command line, or only the part for these arguments: picocli reads each command by reflection,
    /// which takes 20 ms.
    static CommandLine commandLine(String... args) {
        var millrace = new CommandLine(new Main());
        for (var command : needed(args)) millrace.addSubcommand(command);
        // picocli ignores wrong options of help commands, and generate-completion counts as one.
        millrace.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().helpCommand(false));
        return millrace.registerConverter(TransportKind.class, Choices.of(TransportKind.class))
                .registerConverter(EchoStyle.class, Choices.of(EchoStyle.class))
                .registerConverter(UpstreamLoops.class, Choices.of(UpstreamLoops.class))
                .registerConverter(Slabs.class, Choices.of(Slabs.class))
                .registerConverter(Verify.class, Choices.of(Verify.class))
                .setParameterExceptionHandler(Main::explainWrongOptions)
                .setExecutionExceptionHandler(Main::explainFailure);
    }

    private static List<?> needed(String... args) {
        return switch (args.length == 0 ? "" : args[0]) {
            case "echo" -> List.of(Echo.class);
            case "http" -> List.of(HttpServe.class);
            case "proxy" -> List.of(Proxy.class);
            case "demo" -> List.of(Demo.class);
            case "load" -> List.of(Load.class);
            case "lab" -> List.of(LabCommand.commandLine());
            case "health" -> List.of(HealthCommand.class);
            case "doctor" -> List.of(Doctor.class);
            case "train" -> List.of(Train.class);
            case "--version", "-V" -> List.of();
            default ->
                List.of(
                        Echo.class,
                        HttpServe.class,
                        Proxy.class,
                        Load.class,
                        LabCommand.commandLine(),
                        Demo.class,
                        Doctor.class,
                        HealthCommand.class,
                        GenerateCompletion.class);
        };
    }

    @Override
    public String[] getVersion() {
        var version = Optional.ofNullable(Main.class.getModule().getDescriptor())
                .flatMap(ModuleDescriptor::rawVersion)
                .or(() -> Optional.ofNullable(Main.class.getPackage().getImplementationVersion()));
        return new String[] {"millrace " + version.orElse("unknown")};
    }

    private static int explainWrongOptions(ParameterException wrong, String[] args) {
        var command = wrong.getCommandLine();
        if (args.length == 0) {
            command.usage(command.getErr());
            return command.getCommandSpec().exitCodeOnInvalidInput();
        }
        var name = command.getCommandSpec().qualifiedName();
        command.getErr().printf("%s: %s (%s --help lists its options)%n", name, sentence(wrong), name);
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static String sentence(ParameterException wrong) {
        return switch (wrong) {
            case UnmatchedArgumentException unmatched
            when !unmatched.isUnknownOption()
                    && !wrong.getCommandLine().getSubcommands().isEmpty() ->
                "there is no command '" + unmatched.getUnmatched().getFirst() + "'";
            case UnmatchedArgumentException unmatched
            when unmatched.getUnmatched().getFirst().startsWith("--memory") ->
                "--memory is for the launcher, before the command: write millrace --memory 256m COMMAND";
            default -> String.valueOf(wrong.getMessage());
        };
    }

    private static int explainFailure(Exception failure, CommandLine command, ParseResult parsed) {
        switch (failure) {
            case UncheckedIOException e when e.getCause() != null -> say(command, e.getCause());
            case IOException e -> say(command, e);
            case LoopBroken e ->
                command.getErr().printf("%s: %s%n", command.getCommandSpec().qualifiedName(), e.getMessage());
            // A bug of ours: its stack trace helps most.
            default -> failure.printStackTrace(command.getErr());
        }
        return command.getCommandSpec().exitCodeOnExecutionException();
    }

    private static void say(CommandLine command, IOException failure) {
        command.getErr().printf("%s: %s%n", command.getCommandSpec().qualifiedName(), Wording.of(failure));
    }
}
