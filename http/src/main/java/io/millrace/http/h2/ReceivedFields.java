package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.message.Body;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.ReceivedHeaders;
import java.util.ArrayList;
import java.util.List;

/// Received fields, which a connection's table may share with other requests.
final class ReceivedFields extends ReceivedHeaders {
    private final HpackField[] fields;

    /// @param fields not changed elsewhere
    ReceivedFields(HpackField[] fields) {
        this.fields = fields;
    }

    /// The same without the fields of one name, and with more.
    ReceivedFields replacing(String name, HpackField... more) {
        var kept = new ArrayList<>(List.of(fields));
        kept.removeIf(field -> field.name.equals(name));
        kept.addAll(List.of(more));
        return new ReceivedFields(kept.toArray(HpackField[]::new));
    }

    @Override
    public int size() {
        return fields.length;
    }

    @Override
    public String name(int index) {
        return fields[index].name;
    }

    @Override
    public String value(int index) {
        return fields[index].value;
    }

    @Override
    protected int find(String name, int from) {
        for (int i = from; i < fields.length; i++) if (fields[i].name.equalsIgnoreCase(name)) return i;
        return -1;
    }

    @Override
    protected Headers endToEnd() {
        return HopByHop.rebuilt(this);
    }

    @Override
    protected Headers endToEnd(String name, String value) {
        return HopByHop.rebuilt(this).with(name, value);
    }

    @Override
    protected long contentLength() {
        int at = find("content-length", 0);
        return at < 0 ? Body.UNKNOWN : Long.parseLong(fields[at].value);
    }
}
