package io.millrace.http;

/// What a filter finds out and tells the handlers behind it. Two are different, whatever their names.
///
/// ```java
/// static final Attribute<User> USER = Attribute.named("user");
/// HttpFilter login = next -> request -> next.handle(request.with(USER, userOf(request)));
/// HttpHandler home = request -> Response.ok("hello, " + request.attribute(USER).orElseThrow().name());
/// ```
/// @param <T> of its values
@SuppressWarnings("UnusedTypeParameter") // that of its values
public final class Attribute<T> {
    private final String name;

    private Attribute(String name) {
        this.name = name;
    }

    /// A new one.
    ///
    /// @param name for a log
    public static <T> Attribute<T> named(String name) {
        return new Attribute<>(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
