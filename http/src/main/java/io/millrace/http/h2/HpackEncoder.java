package io.millrace.http.h2;

final class HpackEncoder {
    void tableLimit(int bytes) {}
    void begin(HpackBlock out) {}
    private HpackBlock last;
    void status(int status, HpackBlock out) {
        if (status == 200) { out.int8(0x88); return; }
        out.int8(0x08);
        out.int8(3);
        out.text(Integer.toString(status));
    }
    void field(String name, String value, HpackBlock out) {
        out.int8(0);
        name = name.toLowerCase(java.util.Locale.ROOT);
        length(name.length(), out);
        out.text(name);
        length(value.length(), out);
        out.text(value);
    }
    private void length(int n, HpackBlock out) {
        if (n < 127) { out.int8(n); return; }
        out.int8(127);
        n -= 127;
        while (n >= 128) { out.int8(n & 127 | 128); n >>>= 7; }
        out.int8(n);
    }
}
