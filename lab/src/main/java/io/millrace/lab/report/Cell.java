package io.millrace.lab.report;

import java.util.List;

/// The rounds of one peer in one shape, in the order they ran; round `i` of all peers ran in turns.
public record Cell(String peer, LoadShape shape, List<Round> rounds) {
    public Cell {
        rounds = List.copyOf(rounds);
    }

    /// Those that appear in medians.
    public List<Round> validRounds() {
        return rounds.stream().filter(Round::counts).toList();
    }
}
