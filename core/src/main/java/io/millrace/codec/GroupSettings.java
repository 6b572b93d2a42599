package io.millrace.codec;

import io.millrace.net.CheckReturnValue;

/// What a [Group] keeps, and for how many; a value.
///
/// @param members how many there may be at a time (`group.members`)
/// @param history how many messages are kept for members that ask for the last ones ([Joining#last])
/// @param historyBytes how much these may take together, encoded (`group.history`)
/// @param isLossy whether a member for which too much waits misses messages
@CheckReturnValue
public record GroupSettings(int members, int history, long historyBytes, boolean isLossy) {
    private static final GroupSettings STANDARD = new GroupSettings(1_000_000, 0, 1 << 20, false);

    public GroupSettings {
        if (members < 1) throw new IllegalArgumentException("a group of " + members + " members: allow 1 or more");
        if (history < 0 || historyBytes < 0)
            throw new IllegalArgumentException(
                    "a history of " + history + " messages and " + historyBytes + " bytes: take 0 or more");
    }

    /// A million members, no history.
    public static GroupSettings standard() {
        return STANDARD;
    }

    /// The same with another limit for members.
    public GroupSettings members(int most) {
        return new GroupSettings(most, history, historyBytes, isLossy);
    }

    /// The same with a history of so many messages; [Group#keeps] says which.
    public GroupSettings history(int messages) {
        return new GroupSettings(members, messages, historyBytes, isLossy);
    }

    /// The same with another limit for the history's size.
    public GroupSettings historyBytes(long most) {
        return new GroupSettings(members, history, most, isLossy);
    }

    /// The same, but a full member misses messages: for those that the next one replaces, such as prices or
    /// positions.
    public GroupSettings lossy() {
        return new GroupSettings(members, history, historyBytes, true);
    }
}
