package io.millrace.http.h2;

/// A field as it was decoded: immutable, shared by a table and by all requests that it is indexed for. Each char is
/// one byte, as in ISO-8859-1.
public final class HpackField {
    /// What an entry of a table costs beyond its text (RFC 7541 section 4.1), and a field of a list beyond its own.
    private static final int OVERHEAD_BYTES = 32;

    public final String name;
    public final String value;
    final FieldKind kind;

    /// What it counts for, however it was encoded.
    final int bytes;

    HpackField(String name, String value) {
        this(name, value, FieldKind.of(name, value));
    }

    /// With the name of another.
    HpackField(HpackField named, String value) {
        this(named.name, value, FieldKind.of(named, value));
    }

    private HpackField(String name, String value, FieldKind kind) {
        this.name = name;
        this.value = value;
        this.kind = kind;
        this.bytes = bytes(name.length(), value.length());
    }

    public static int bytes(int nameLength, int valueLength) {
        return nameLength + valueLength + OVERHEAD_BYTES;
    }

    @Override
    public String toString() {
        return name + ": " + value;
    }
}
