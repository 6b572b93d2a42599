package io.millrace.sidebyside;

/// The authors of the programs.
enum Side {
    MILLRACE("Millrace"),
    JAVALIN("Javalin"),
    HELIDON("Helidon"),
    OKHTTP("OkHttp"),
    GO("Go");

    /// The prefix of its classes' names.
    final String prefix;

    Side(String prefix) {
        this.prefix = prefix;
    }
}
