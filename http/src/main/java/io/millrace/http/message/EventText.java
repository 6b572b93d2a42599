package io.millrace.http.message;

/// Server-sent events as text (HTML standard section 9.2.5).
public final class EventText {
    private EventText() {}

    /// An event without a name; each line of the text becomes a line of data.
    public static String of(String data) {
        return text("", data);
    }

    /// An event with a name.
    ///
    /// @throws IllegalArgumentException for a name that contains a line end
    public static String of(String event, String data) {
        if (event.indexOf('\n') >= 0 || event.indexOf('\r') >= 0) {
            throw new IllegalArgumentException("the event name '" + event + "' has a line end: leave it out");
        }
        return text("event: " + event + "\n", data);
    }

    private static String text(String first, String data) {
        var text = new StringBuilder(first);
        data.lines().forEach(line -> text.append("data: ").append(line).append('\n'));
        if (data.isEmpty()) text.append("data:\n");
        return text.append('\n').toString();
    }
}
