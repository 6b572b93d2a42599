package io.millrace.cli;

import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/// The command `millrace`: finds the subcommand, runs it and turns its outcome into an exit code.
///
/// 0 means done, 1 means that it could not be done, 2 means that the command line was wrong. In the last two
/// cases a sentence on standard error says why.
@Command(
        name = "millrace",
        description = "Network servers and proxies at the speed of the kernel.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {GenerateCompletion.class})
public final class Main implements IVersionProvider {
    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine().execute(args));
    }

    static CommandLine commandLine() {
        var millrace = new CommandLine(new Main());
        // picocli forgives help commands any wrong option, and generate-completion calls itself one.
        millrace.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().helpCommand(false));
        return millrace.setParameterExceptionHandler(Main::explainWrongOptions)
                .setExecutionExceptionHandler(Main::explainFailure);
    }

    @Override
    public String[] getVersion() {
        var module = Main.class.getModule().getDescriptor();
        return new String[] {"millrace " + module.rawVersion().orElse("unknown")};
    }

    private static int explainWrongOptions(ParameterException wrong, String[] args) {
        var command = wrong.getCommandLine();
        var name = command.getCommandSpec().qualifiedName();
        command.getErr().printf("%s: %s (%s --help lists what it takes)%n", name, wrong.getMessage(), name);
        return command.getCommandSpec().exitCodeOnInvalidInput();
    }

    private static int explainFailure(Exception failure, CommandLine command, ParseResult parsed) {
        var reason = failure.getMessage();
        command.getErr()
                .printf(
                        "%s: %s%n",
                        command.getCommandSpec().qualifiedName(), reason == null ? failure.toString() : reason);
        return command.getCommandSpec().exitCodeOnExecutionException();
    }
}
