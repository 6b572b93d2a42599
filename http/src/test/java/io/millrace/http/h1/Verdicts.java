package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.HttpLimits;
import io.millrace.http.grammar.Refusal;
import io.millrace.http.grammar.Syntax;
import io.millrace.http.grammar.Target;
import io.millrace.http.memory.Arrivals;
import io.millrace.memory.LoopInput;
import io.millrace.memory.SlabPool;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The parser alone, without a connection: what it makes of the pieces it is given.
final class Verdicts {
    private final HttpLimits limits;
    private final SlabPool pool;
    private final Arrivals arrivals;
    private final HeadReader<RequestHead> heads;
    private @Nullable IncomingBody body;
    private Target target = new Target("", "", "", "");
    private String method = "";
    private String fields = "";
    private boolean keepsAlive;
    private boolean isOver;
    private final ByteArrayOutputStream collected = new ByteArrayOutputStream();

    final List<Integer> statuses = new ArrayList<>();
    final List<String> paths = new ArrayList<>();

    /// What was accepted.
    final List<Message> messages = new ArrayList<>();

    byte[] lastBody = new byte[0];

    /// A request, all of which has been read.
    ///
    /// @param end how many bytes had been read by then
    record Message(String method, Target target, String fields, String body, String trailers, long end) {}

    Verdicts(SlabPool pool) {
        this(pool, HttpLimits.standard().bodyBytes(CorpusCase.MOST_BODY));
    }

    Verdicts(SlabPool pool, HttpLimits limits) {
        this.pool = pool;
        this.limits = limits;
        this.arrivals = new Arrivals(pool);
        this.heads = new HeadReader<>(new RequestHead(limits), limits, new byte[HeadReader.sharedBytes(limits)]);
    }

    Verdicts feed(byte[] bytes, int from, int to) {
        var in = arrivals.receive(bytes, from, to);
        try {
            while (!isOver && step(in)) {}
        } catch (Refusal e) {
            statuses.add(e.status());
            isOver = true;
        }
        arrivals.endLoan();
        return this;
    }

    private boolean step(LoopInput in) throws Refusal {
        if (body == null) return head(in);
        while (!feed(body, in)) if (!body.hasEnoughForNow()) return false;
        lastBody = collected.toByteArray();
        collected.reset();
        var trailers = body.trailers();
        body.release(pool);
        body = null;
        accepted(trailers);
        return true;
    }

    private boolean feed(IncomingBody from, LoopInput in) throws Refusal {
        try {
            return from.feed(in, this::collect, pool);
        } catch (Refusal e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void collect(Input part) throws Refusal {
        if (collected.size() + part.remaining() > limits.bodyBytes()) throw new Refusal(413, "too long");
        collected.writeBytes(part.readBytes(part.remaining()).toArray());
    }

    private boolean head(LoopInput in) throws Refusal {
        heads.open(in, true);
        boolean isComplete;
        try {
            isComplete = heads.next(in);
        } finally {
            heads.close(in);
        }
        if (!isComplete) return false;
        var head = heads.head();
        keepsAlive = head.keepsAlive();
        target = head.asked();
        method = head.method();
        // As a server answers that makes no tunnels; what follows is no request.
        if (method.equals("CONNECT")) throw new Refusal(501, "no tunnels");
        fields = lines(head.headers());
        if (head.contentLength() > limits.bodyBytes()) throw new Refusal(413, "too long");
        lastBody = Bytes.EMPTY.toArray();
        if (head.hasBody()) body = new IncomingBody(head.contentLength(), limits);
        else accepted(Headers.EMPTY);
        return true;
    }

    private void accepted(Headers trailers) {
        statuses.add(200);
        paths.add(target.path());
        var text = Syntax.latin1(lastBody, 0, lastBody.length);
        messages.add(new Message(method, target, fields, text, lines(trailers), arrivals.read()));
        heads.done();
        isOver = !keepsAlive;
    }

    static String lines(Headers fields) {
        var lines = new StringBuilder();
        fields.forEach(
                (name, value) -> lines.append(name).append(": ").append(value).append('\n'));
        return lines.toString();
    }

    /// The peer ends.
    Verdicts end() {
        if (!isOver && (body != null || arrivals.unread() > 0)) statuses.add(400);
        isOver = true;
        return this;
    }

    boolean closes() {
        return isOver;
    }

    void release() {
        if (body != null) body.release(pool);
        arrivals.release();
    }
}
