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

    /// Its sender has marked it as a secret: it is encoded so that no table keeps it, however often it is passed on
    /// (RFC 7541 section 7.1.3).
    final boolean isNeverIndexed;

    HpackField(String name, String value) {
        this(name, value, FieldKind.of(name, value), false);
    }

    /// With the name of another.
    HpackField(HpackField named, String value) {
        this(named.name, value, FieldKind.of(named, value), false);
    }

    private HpackField(String name, String value, FieldKind kind, boolean isNeverIndexed) {
        this.isNeverIndexed = isNeverIndexed;
        this.name = name;
        this.value = value;
        this.kind = kind;
        this.bytes = bytes(name.length(), value.length());
    }

    HpackField neverIndexed() {
        return new HpackField(name, value, kind, true);
    }

    public static int bytes(int nameLength, int valueLength) {
        return nameLength + valueLength + OVERHEAD_BYTES;
    }

    @Override
    public String toString() {
        return name + ": " + value;
    }
}
