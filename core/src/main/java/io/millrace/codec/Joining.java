package io.millrace.codec;

import io.millrace.net.CheckReturnValue;
import java.util.Optional;

/// How a member joins a [Group]; a value.
///
/// ```java
/// room.join(socket, Joining.as("ann").last(20));
/// ```
/// @param user whose connection it is; without one it is nobody's in [Group#users]
/// @param last how many of the group's last messages it gets first, as far as they are kept
@CheckReturnValue
public record Joining(Optional<String> user, int last) {
    private static final Joining ANONYMOUS = new Joining(Optional.empty(), 0);

    public Joining {
        if (last < 0) throw new IllegalArgumentException("the last " + last + " messages: take 0 or more");
    }

    /// As nobody in particular.
    public static Joining anonymous() {
        return ANONYMOUS;
    }

    /// As a connection of this user, who may have several.
    public static Joining as(String user) {
        return new Joining(Optional.of(user), 0);
    }

    /// The same, with so many of the last messages.
    public Joining last(int messages) {
        return new Joining(user, messages);
    }
}
