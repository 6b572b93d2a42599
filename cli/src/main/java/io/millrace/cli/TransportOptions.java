package io.millrace.cli;

import io.millrace.EventLoops;
import io.millrace.TransportKind;
import io.millrace.Transports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.util.Iterator;
import picocli.CommandLine.Option;

/// The options of every command that has event loops.
final class TransportOptions {
    @Option(
            names = "--transport",
            paramLabel = "KIND",
            completionCandidates = Kinds.class,
            description = "Kernel interface: ${COMPLETION-CANDIDATES}; by default auto, the best that works here.")
    private TransportKind kind = TransportKind.AUTO;

    @Option(
            names = {"-v", "--verbose"},
            description = "Log normal events, too, such as the chosen transport.")
    void verbose(boolean isVerbose) {
        StandardErrorLog.show(isVerbose ? Level.INFO : Level.WARNING);
    }

    TransportKind kind() {
        return kind;
    }

    /// Starts event loops on the transport.
    ///
    /// @throws IOException with a sentence that says why the transport does not work here
    EventLoops start(EventLoops.Setup setup) throws IOException {
        try {
            return setup.transport(kind).start();
        } catch (UncheckedIOException e) {
            var why = Transports.unavailableBecause(kind);
            if (why.isEmpty()) throw e;
            throw new IOException("transport " + kind.label() + " does not work here: " + why.get(), e);
        }
    }

    private static final class Kinds implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Choices.words(TransportKind.class).iterator();
        }
    }
}
