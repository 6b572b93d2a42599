package io.millrace.lab.load;

/// What was measured about a complete answer. One object for each loop, reused for each answer.
final class MeasuredAnswer {
    private long number;
    private long bytes;
    private int statusClass;
    private boolean isLast;
    private String complaint = "";

    /// @param number      of the message
    /// @param bytes       on the wire
    /// @param statusClass the first digit of its status; 0 where answers have none
    /// @param isLast      whether the connection ends behind it, as it should
    /// @param complaint   what is wrong with it; empty when it is right
    void is(long number, long bytes, int statusClass, boolean isLast, String complaint) {
        this.number = number;
        this.bytes = bytes;
        this.statusClass = statusClass;
        this.isLast = isLast;
        this.complaint = complaint;
    }

    long number() {
        return number;
    }

    long bytes() {
        return bytes;
    }

    int statusClass() {
        return statusClass;
    }

    boolean isLast() {
        return isLast;
    }

    boolean isRight() {
        return complaint.isEmpty();
    }

    String complaint() {
        return complaint;
    }
}
