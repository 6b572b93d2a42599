package io.millrace.lab.report;

import java.util.List;

/// A table independent of its format: a caption, a head, and rows of as many cells; all plain text.
record Table(String caption, List<String> head, List<List<String>> rows) {
    Table {
        rows = rows.stream().map(List::copyOf).toList();
        for (var row : rows) {
            assert row.size() == head.size() : row;
        }
    }
}
