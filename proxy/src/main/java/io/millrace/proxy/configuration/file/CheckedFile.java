package io.millrace.proxy.configuration.file;

import io.millrace.proxy.configuration.Configuration;
import io.millrace.proxy.configuration.Problem;
import java.util.List;

/// What a configuration file is found to be.
public sealed interface CheckedFile {
    /// One that can be used.
    record Good(Configuration configuration) implements CheckedFile {}

    /// One that cannot.
    ///
    /// @param problems all that were found, in the order of the file; one at least
    record Bad(List<Problem> problems) implements CheckedFile {}
}
