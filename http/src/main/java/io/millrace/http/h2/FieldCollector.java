package io.millrace.http.h2;

import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.HttpGuards;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.message.Body;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The fields of one block, as they are decoded: judged, counted, and sorted into pseudo-fields and others (RFC 9113
/// section 8). The loop's, used for one block after the other.
final class FieldCollector implements HpackDecoder.Fields {
    private static final int FEW = 32;
    private static final long FIELD_BYTES = 96;
    private static final int LEAST_BLOCK_BYTES = 64 << 10;

    private final HttpLimits limits;
    private final long mostBytes;

    private HpackField[] fields = new HpackField[FEW];
    private int count;
    private long bytes;

    @Nullable
    HpackField method;

    @Nullable
    HpackField scheme;

    @Nullable
    HpackField authority;

    @Nullable
    HpackField path;

    @Nullable
    HpackField status;

    @Nullable
    HpackField protocol;

    @Nullable
    HpackField host;

    @Nullable
    HpackField expect;

    @Nullable
    HpackField priority;

    @Nullable
    HpackField length;

    private int cookies;
    private @Nullable String fault;
    private @Nullable Refusal refusal;

    FieldCollector(HttpLimits limits) {
        this.limits = limits;
        this.mostBytes = mostBytes(limits);
    }

    /// What the fields of a head may count for, each with its overhead, however it was encoded (RFC 9113 section
    /// 6.5.2).
    static int mostBytes(HttpLimits limits) {
        return limits.headBytes() + 32 * limits.fields();
    }

    /// The longest block, as it arrives: one that is too long for a head is still decoded, so that its stream alone
    /// fails.
    static int mostBlockBytes(HttpLimits limits) {
        return Math.max(LEAST_BLOCK_BYTES, 2 * mostBytes(limits));
    }

    void begin() {
        Arrays.fill(fields, 0, count, null);
        count = 0;
        bytes = 0;
        method = null;
        scheme = null;
        authority = null;
        path = null;
        status = null;
        protocol = null;
        host = null;
        expect = null;
        priority = null;
        length = null;
        cookies = 0;
        fault = null;
        refusal = null;
    }

    @Override
    public boolean add(HpackField field) {
        bytes += field.bytes;
        if (bytes > mostBytes) {
            refusal = new Refusal(431, "fields of more than " + mostBytes + " bytes", HttpGuards.HEAD);
            return false;
        }
        switch (field.kind) {
            case METHOD -> method = pseudo(method, field);
            case SCHEME -> scheme = pseudo(scheme, field);
            case AUTHORITY -> authority = pseudo(authority, field);
            case PATH -> path = pseudo(path, field);
            case STATUS -> status = pseudo(status, field);
            case PROTOCOL -> protocol = pseudo(protocol, field);
            case INVALID -> fault = "a field that must not be sent";
            case CONNECTION -> fault = "a field about a connection";
            case HOST -> host = only(host, field);
            case EXPECT -> expect = only(expect, field);
            case CONTENT_LENGTH -> length = only(length, field);
            case PRIORITY -> {
                priority = field;
                keep(field);
            }
            case COOKIE -> {
                cookies++;
                keep(field);
            }
            case TE, OTHER -> keep(field);
        }
        return refusal == null;
    }

    private HpackField pseudo(@Nullable HpackField before, HpackField field) {
        if (before != null) fault = "a pseudo-field twice";
        if (count > 0) fault = "a pseudo-field behind others";
        return field;
    }

    private HpackField only(@Nullable HpackField before, HpackField field) {
        if (before != null) fault = "a field twice that is there once";
        keep(field);
        return field;
    }

    private void keep(HpackField field) {
        if (count == limits.fields()) {
            refusal = new Refusal(431, "more than " + limits.fields() + " fields", HttpGuards.FIELDS);
            return;
        }
        if (count == fields.length) fields = Arrays.copyOf(fields, 2 * count);
        fields[count++] = field;
    }

    /// Why the block is malformed, if it is.
    @Nullable
    String fault() {
        return fault;
    }

    /// Why it is too much, if it is.
    @Nullable
    Refusal refusal() {
        return refusal;
    }

    /// The status of a response, which has no other pseudo-field.
    ///
    /// @throws StreamError if it is malformed
    int onlyStatus() throws StreamError {
        var field = status;
        if (field == null || isRequest())
            throw StreamError.malformed("a response without a status, or with the pseudo-fields of a request");
        if (!field.value.matches("[1-5][0-9]{2}")) throw StreamError.malformed("a status that is not 100 to 599");
        return Integer.parseInt(field.value);
    }

    /// The announced length of a body.
    ///
    /// @throws StreamError if it is malformed
    long announcedLength() throws StreamError {
        var field = length;
        if (field == null) return Body.UNKNOWN;
        if (!field.value.matches("[0-9]{1,18}")) throw StreamError.malformed("a content-length that is not a number");
        return Long.parseLong(field.value);
    }

    boolean hasPseudo() {
        return status != null || isRequest();
    }

    private boolean isRequest() {
        return method != null || scheme != null || authority != null || path != null || protocol != null;
    }

    /// What is left of a head that is refused: an error that is made for its sender needs no more.
    ReceivedFields takeContentType() {
        for (int i = 0; i < count; i++) {
            if (fields[i].name.equals("content-type")) return new ReceivedFields(new HpackField[] {fields[i]});
        }
        return new ReceivedFields(new HpackField[0]);
    }

    /// What its fields take while their request is open: a field may be an object with two texts.
    long heldBytes() {
        return bytes + FIELD_BYTES * count;
    }

    /// The fields without pseudo-fields, with one cookie (section 8.2.3) and a host (section 8.3.1).
    ReceivedFields take() {
        var target = authority;
        boolean namesHost = host == null && target != null;
        if (cookies < 2 && !namesHost) return new ReceivedFields(Arrays.copyOf(fields, count));
        var all = new HpackField[count + (namesHost ? 1 : 0) - Math.max(0, cookies - 1)];
        int at = 0;
        if (namesHost && target != null) all[at++] = host(target);
        int cookieAt = -1;
        StringBuilder crumbs = null;
        for (int i = 0; i < count; i++) {
            var field = fields[i];
            if (cookies < 2 || field.kind != FieldKind.COOKIE) {
                all[at++] = field;
            } else if (crumbs == null) {
                cookieAt = at++;
                crumbs = new StringBuilder(field.value);
            } else {
                crumbs.append("; ").append(field.value);
            }
        }
        if (crumbs != null) all[cookieAt] = new HpackField("cookie", crumbs.toString());
        return new ReceivedFields(all);
    }

    /// The fields behind a body, without those that may not stand there.
    ReceivedFields takeTrailers() {
        return take().asTrailers();
    }

    private @Nullable HpackField lastAuthority;
    private @Nullable HpackField lastHost;

    /// Most requests of a peer name the same one.
    @SuppressWarnings("ReferenceEquality") // the object itself
    private HpackField host(HpackField target) {
        var known = lastHost;
        if (known != null && lastAuthority == target) return known;
        var made = new HpackField("host", target.value);
        lastAuthority = target;
        lastHost = made;
        return made;
    }
}
