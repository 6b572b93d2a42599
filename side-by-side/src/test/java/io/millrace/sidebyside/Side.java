package io.millrace.sidebyside;

/// Whose programs there are.
enum Side {
    MILLRACE("Millrace"),
    JAVALIN("Javalin"),
    HELIDON("Helidon"),
    OKHTTP("OkHttp"),
    GO("Go");

    /// What the names of its classes begin with.
    final String prefix;

    Side(String prefix) {
        this.prefix = prefix;
    }
}
