package io.millrace.http;

/// A typed value that a filter attaches to a request for the handlers behind it. Two attributes are different
/// even if their names are equal.
///
/// ```java
/// static final Attribute<User> USER = Attribute.named("user");
/// HttpFilter login = next -> request -> next.handle(request.with(USER, userOf(request)));
/// HttpHandler home = request -> Response.ok("hello, " + request.attribute(USER).orElseThrow().name());
/// ```
/// @param <T> the type of its values
@SuppressWarnings("UnusedTypeParameter") // the type of its values
public final class Attribute<T> {
    private final String name;

    private Attribute(String name) {
        this.name = name;
    }

    /// Creates an attribute.
    ///
    /// @param name for logs
    public static <T> Attribute<T> named(String name) {
        return new Attribute<>(name);
    }

    @Override
    public String toString() {
        return name;
    }
}
