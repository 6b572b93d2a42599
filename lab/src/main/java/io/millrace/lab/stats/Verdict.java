package io.millrace.lab.stats;

/// What a comparison with a baseline showed.
public enum Verdict {
    FASTER("faster"),
    SLOWER("slower"),
    /// Not the same as equal: more rounds may show one.
    NO_DIFFERENCE_SHOWN("no difference shown");

    private final String words;

    Verdict(String words) {
        this.words = words;
    }

    /// As it is written in a report.
    public String words() {
        return words;
    }
}
