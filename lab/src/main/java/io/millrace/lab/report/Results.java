package io.millrace.lab.report;

import java.util.List;

/// Everything one run of the lab found; immutable. [ResultsFile] keeps it as JSON.
///
/// @param format the number of the file format, [#FORMAT] in a result made by this version
/// @param cells what was measured, one for each peer and shape, also those with fewer rounds than asked for
/// @param problems peers that did not start, failed a check or died; they are never silently dropped
/// @param idle what idle connections cost; empty for workloads that do not ask
/// @param firstUse memory after the first requests; empty likewise
public record Results(
        int format,
        Machine machine,
        Method method,
        List<Cell> cells,
        List<Unmeasured> problems,
        List<Idle> idle,
        List<FirstUse> firstUse) {
    public static final int FORMAT = 5;

    public Results {
        cells = List.copyOf(cells);
        problems = List.copyOf(problems);
        idle = List.copyOf(idle);
        firstUse = List.copyOf(firstUse);
    }
}
