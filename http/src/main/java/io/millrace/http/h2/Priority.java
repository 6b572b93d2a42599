package io.millrace.http.h2;

/// How urgent a response is, and whether parts of it are of use (RFC 9218 section 4): of the values of a structured
/// field, these two parameters are read, and others are skipped.
///
/// @param urgency 0, which comes first, to 7
record Priority(int urgency, boolean isIncremental) {
    static final int USUAL_URGENCY = 3;
    static final int LEAST_URGENCY = 7;

    /// For a peer that says nothing: all such responses get their turns.
    static final Priority USUAL = new Priority(USUAL_URGENCY, true);

    /// A longer value may come from the table of fields, where it costs its sender nothing.
    private static final int MOST_LENGTH = 256;

    /// Reads the value of a field `priority`, or of a frame. What is malformed counts as not there, and so does all of
    /// a value that is too long.
    static Priority of(String text) {
        if (text.length() > MOST_LENGTH) return of("");
        int urgency = USUAL_URGENCY;
        boolean isIncremental = false;
        for (var parameter : text.split(",", -1)) {
            var stripped = parameter.strip();
            if (stripped.equals("i") || stripped.equals("i=?1")) isIncremental = true;
            else if (stripped.equals("i=?0")) isIncremental = false;
            else if (stripped.length() == 3 && stripped.startsWith("u="))
                urgency = urgency(stripped.charAt(2), urgency);
        }
        return new Priority(urgency, isIncremental);
    }

    private static int urgency(char digit, int otherwise) {
        return digit >= '0' && digit <= '7' ? digit - '0' : otherwise;
    }
}
