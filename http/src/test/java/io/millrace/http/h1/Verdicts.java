package io.millrace.http.h1;

import io.millrace.bytes.Bytes;
import io.millrace.http.HttpLimits;
import io.millrace.memory.LoopInput;
import io.millrace.memory.LoopOutput;
import io.millrace.memory.Slab;
import io.millrace.memory.SlabPool;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The parser alone, without a connection: what it makes of the pieces it is given.
final class Verdicts {
    private final HttpLimits limits = HttpLimits.standard().withBodyBytes(CorpusCase.MOST_BODY);
    private final SlabPool pool;
    private final LoopInput in;
    private final LoopOutput arriving;
    private final Heads<RequestHead> heads =
            new Heads<>(new RequestHead(limits), limits, new byte[Heads.sharedBytes(limits)]);
    private final Exchange exchange = new Exchange();
    private @Nullable RequestBody body;
    private String path = "";
    private boolean isOver;

    final List<Integer> statuses = new ArrayList<>();
    final List<String> paths = new ArrayList<>();
    byte[] lastBody = new byte[0];

    Verdicts(SlabPool pool) {
        this.pool = pool;
        this.in = new LoopInput(pool);
        this.arriving = Aside.from(pool);
    }

    Verdicts feed(byte[] bytes, int from, int to) {
        arriving.write(bytes, from, to - from);
        var chain = arriving.chain();
        chain.pass(Slab.Owner.OUTPUT, Slab.Owner.INPUT);
        in.appendAll(chain);
        in.lend(pool);
        try {
            while (!isOver && step()) {}
        } catch (Refusal e) {
            statuses.add(e.status());
            isOver = true;
        }
        in.endLoan(pool);
        return this;
    }

    private boolean step() throws Refusal {
        if (body == null) return head();
        if (!body.collect(in, limits.bodyBytes(), pool)) return false;
        lastBody = body.whole().readBytes(body.whole().remaining()).toArray();
        body.release(pool);
        body = null;
        accepted();
        return true;
    }

    private boolean head() throws Refusal {
        heads.open(in, true);
        boolean isComplete;
        try {
            isComplete = heads.next(in);
        } finally {
            heads.close(in);
        }
        if (!isComplete) return false;
        var head = heads.head();
        exchange.begin(head, true);
        var path = Target.of(head).path();
        if (head.contentLength() > limits.bodyBytes()) throw new Refusal(413, "too long");
        this.path = path;
        lastBody = Bytes.EMPTY.toArray();
        if (head.hasBody()) body = new RequestBody(head.contentLength(), limits, pool);
        else accepted();
        return true;
    }

    private void accepted() {
        statuses.add(200);
        paths.add(path);
        heads.done();
        isOver = !exchange.keepsAlive();
    }

    /// The peer ends.
    Verdicts end() {
        if (!isOver && (body != null || in.size() > 0)) statuses.add(400);
        isOver = true;
        return this;
    }

    boolean closes() {
        return isOver;
    }

    void release() {
        if (body != null) body.release(pool);
        in.release();
    }
}
