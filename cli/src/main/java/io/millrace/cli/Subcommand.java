package io.millrace.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command: where it writes, and how it refuses its options.
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

    /// All that it has to say.
    final void print(String text) {
        out().print(text);
        out().flush();
    }

    /// @param sentence with the remedy
    final ParameterException wrong(String sentence) {
        return new ParameterException(spec.commandLine(), sentence);
    }

    /// What an option was refused with, which says it all.
    final ParameterException wrong(RuntimeException refusal) {
        return new ParameterException(spec.commandLine(), String.valueOf(refusal.getMessage()), refusal);
    }
}
