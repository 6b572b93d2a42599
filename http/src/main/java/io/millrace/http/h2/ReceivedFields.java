package io.millrace.http.h2;

import io.millrace.http.Headers;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.grammar.TrailerFields;
import io.millrace.http.message.Body;
import io.millrace.http.message.HopByHop;
import io.millrace.http.message.ReceivedHeaders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

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

    /// Whether its sender has marked it as a secret.
    boolean isNeverIndexed(int index) {
        return fields[index].isNeverIndexed;
    }

    /// Those that may stand behind a body.
    ReceivedFields asTrailers() {
        return without(name -> !TrailerFields.isAllowed(name));
    }

    @Override
    protected Headers endToEnd() {
        var kept = without(HopByHop::isOfHop);
        // They were judged when they arrived; what leaves for another connection is judged once more.
        for (var field : kept.fields) {
            var _ = Syntax.checkValue(Syntax.checkName(field.name), field.value);
        }
        return kept;
    }

    @Override
    protected Headers endToEnd(String name, String value) {
        return endToEnd().with(name, value);
    }

    /// The rest keep their marks, and so they do with one more. All names here are in small letters.
    @Override
    public Headers with(String name, String value) {
        var more = Arrays.copyOf(fields, fields.length + 1);
        var small = Syntax.checkName(name).toLowerCase(Locale.ROOT);
        more[fields.length] = new HpackField(small, Syntax.checkValue(name, value));
        return new ReceivedFields(more);
    }

    @Override
    public Headers without(String name) {
        return has(name) ? without(name::equalsIgnoreCase) : this;
    }

    /// @param isLeftOut asked for each name
    private ReceivedFields without(Predicate<String> isLeftOut) {
        var kept = new HpackField[fields.length];
        int count = 0;
        for (var field : fields) if (!isLeftOut.test(field.name)) kept[count++] = field;
        return count == fields.length ? this : new ReceivedFields(Arrays.copyOf(kept, count));
    }

    @Override
    protected long contentLength() {
        int at = find("content-length", 0);
        return at < 0 ? Body.UNKNOWN : Long.parseLong(fields[at].value);
    }
}
