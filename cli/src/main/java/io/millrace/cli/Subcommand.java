package io.millrace.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command: its output, and how it reports wrong options.
abstract class Subcommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    final CommandSpec spec() {
        return spec;
    }

    final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    final PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /// Prints all of the command's output.
    final void print(String text) {
        out().print(text);
        out().flush();
    }

    /// @param sentence with the remedy
    final ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    /// The reason why an option was refused, as it is.
    final ParameterException wrong(RuntimeException refusal) {
        return new ParameterException(spec.commandLine(), String.valueOf(refusal.getMessage()), refusal);
    }
}
