package io.millrace.http;

import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// What a test asks for more than once.
final class Several {
    private Several() {}

    static <T> List<T> of(int count, Supplier<T> one) {
        return Stream.generate(one).limit(count).toList();
    }
}
