package io.millrace.http.h1;

import io.millrace.http.Headers;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.message.Body;

/// Fields as they came, with bytes of their own: text is made of what somebody asks for, and those that are passed
/// on stay bytes.
public final class WireHeaders extends Headers {
    final Fields fields;

    /// @param fields which nobody else changes
    WireHeaders(Fields fields) {
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

    /// What `Content-Length` says of a message that was received, in bytes, or [Body#UNKNOWN].
    public static long contentLength(Headers received) {
        if (!(received instanceof WireHeaders wire)) {
            return received.first("Content-Length").map(Long::parseLong).orElse(Body.UNKNOWN);
        }
        int line = wire.find("content-length", 0);
        try {
            return line < 0 ? Body.UNKNOWN : wire.fields.length(line);
        } catch (Refusal e) {
            throw new IllegalStateException("a head with " + e.getMessage() + " was not refused", e);
        }
    }

    void writeTo(WireText out) {
        for (int line = 0; line < fields.count(); line++) {
            out.put(fields.bytes, fields.name(line), fields.nameLength(line))
                    .colon()
                    .put(fields.bytes, fields.value(line), fields.valueLength(line))
                    .end();
        }
    }
}
