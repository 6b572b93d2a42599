package io.millrace.http;

/// Fields built by a program.
final class BuiltHeaders extends Headers {
    /// Name, value, name, value, …
    private final String[] pairs;

    BuiltHeaders(String... pairs) {
        this.pairs = pairs;
    }

    @Override
    public int size() {
        return pairs.length / 2;
    }

    @Override
    public String name(int index) {
        return pairs[2 * index];
    }

    @Override
    public String value(int index) {
        return pairs[2 * index + 1];
    }

    @Override
    protected int find(String name, int from) {
        for (int i = 2 * from; i < pairs.length; i += 2) {
            if (pairs[i].equalsIgnoreCase(name)) return i / 2;
        }
        return -1;
    }
}
