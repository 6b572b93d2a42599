package io.millrace.lab.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/// A result, or what changed between two, as Markdown for the terminal; columns are padded so that they line up
/// there.
public final class Markdown {
    static final String METHOD =
            "Medians of the rounds with bootstrap 95 % intervals in brackets; those of three or four rounds are "
                    + "Student's, wider than the figures themselves, because so few rounds prove little (--rounds 5 "
                    + "proves more). Ratios are paired round by round with the baseline. "
                    + "\"No difference shown\" means that the intervals overlap, not that there is no difference.";

    private final StringBuilder text = new StringBuilder();

    private Markdown() {}

    public static String of(Results results) {
        return new Markdown().results(results);
    }

    public static String of(Comparison comparison) {
        return new Markdown().comparison(comparison);
    }

    private String results(Results results) {
        var shapes = Ranking.all(results);
        line("# Lab: " + results.method().workload());
        Conclusion.of(results, shapes).ifPresent(this::line);
        table(Tables.machine(results));
        if (!shapes.isEmpty()) {
            line(METHOD);
        }
        shapes.forEach((shape, standings) -> {
            table(Tables.comparison(shape, standings));
            Tables.details(shape, standings).forEach(this::table);
        });
        Findings.of(results, shapes).map(Findings::table).ifPresent(this::table);
        if (!results.idle().isEmpty()) {
            table(Tables.idle(results.idle()));
        }
        if (!results.firstUse().isEmpty()) {
            table(Tables.firstUse(results.firstUse()));
        }
        if (!results.problems().isEmpty()) {
            table(Tables.problems(results.problems()));
        }
        list("Warnings", Tables.warnings(results, shapes.values()));
        return text.toString();
    }

    private String comparison(Comparison comparison) {
        line("# Comparison");
        line(comparison.summary());
        if (!comparison.changes().isEmpty()) {
            table(comparison.table());
        }
        list("Notes", comparison.notes());
        return text.toString();
    }

    private void line(String line) {
        text.append(inline(line)).append("\n\n");
    }

    private void list(String heading, List<String> items) {
        if (items.isEmpty()) {
            return;
        }
        line("## " + heading);
        items.forEach(item -> text.append("- ").append(inline(item)).append('\n'));
        text.append('\n');
    }

    private void table(Table table) {
        line("## " + table.caption());
        var lines = new ArrayList<List<String>>();
        lines.add(table.head());
        lines.addAll(table.rows());
        var cells = lines.stream()
                .map(row -> row.stream().map(Markdown::cell).toList())
                .toList();
        var widths = widths(cells);
        row(cells.getFirst(), widths, " ");
        row(Collections.nCopies(widths.length, ""), widths, "-");
        cells.stream().skip(1).forEach(row -> row(row, widths, " "));
        text.append('\n');
    }

    private static int[] widths(List<List<String>> cells) {
        var widths = new int[cells.getFirst().size()];
        for (var row : cells) {
            for (var i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }

    private void row(List<String> cells, int[] widths, String filler) {
        for (var i = 0; i < widths.length; i++) {
            var missing = widths[i] - cells.get(i).length();
            text.append("|").append(filler).append(cells.get(i)).append(filler.repeat(missing + 1));
        }
        text.append("|\n");
    }

    /// A name may contain what ends a cell.
    private static String cell(String value) {
        return inline(value).replace("\\", "\\\\").replace("|", "\\|");
    }

    /// A line break would end the table or the item; other control characters could steer the terminal.
    private static String inline(String value) {
        return value.replaceAll("\\R", " ").replaceAll("\\p{Cntrl}", "�");
    }
}
