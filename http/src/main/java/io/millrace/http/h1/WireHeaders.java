package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.message.Body;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.ReceivedHeaders;

/// Received fields with bytes of their own: text is made on demand, and fields that are passed on stay bytes.
final class WireHeaders extends ReceivedHeaders {
    final FieldLines fields;

    /// @param fields not changed elsewhere
    WireHeaders(FieldLines fields) {
        this.fields = fields;
    }

    @Override
    public int size() {
        return fields.count();
    }

    @Override
    public String name(int index) {
        return Syntax.latin1(fields.bytes, fields.name(checked(index)), fields.nameLength(index));
    }

    @Override
    public String value(int index) {
        return fields.valueText(checked(index));
    }

    private int checked(int index) {
        if (index < 0 || index >= size()) throw new IndexOutOfBoundsException("field " + index + " of " + size());
        return index;
    }

    @Override
    protected int find(String name, int from) {
        return fields.find(name, from);
    }

    @Override
    protected Headers endToEnd() {
        return new WireHeaders(HopFields.endToEnd(fields));
    }

    @Override
    protected Headers endToEnd(String name, String value) {
        if (!fields.hasRoom(name, value)) return HopByHop.rebuilt(this).with(name, value);
        var kept = HopFields.endToEnd(fields);
        kept.append(name, value);
        return new WireHeaders(kept);
    }

    @Override
    protected long contentLength() {
        int line = find("content-length", 0);
        try {
            return line < 0 ? Body.UNKNOWN : fields.length(line);
        } catch (Refusal e) {
            throw new IllegalStateException("a head with " + e.getMessage() + " was not refused", e);
        }
    }

    void writeTo(WireText out) {
        for (int line = 0; line < fields.count(); line++) fields.writeLine(line, out);
    }
}
