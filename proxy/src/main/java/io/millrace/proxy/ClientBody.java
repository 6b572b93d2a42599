package io.millrace.proxy;

import io.millrace.bytes.Bytes;
import io.millrace.http.Headers;
import io.millrace.http.Request;
import io.millrace.http.message.Body;
import io.millrace.http.message.BodyPipe;
import io.millrace.http.message.OutgoingHead;
import io.millrace.http.message.ReceivedRequest;
import io.millrace.http.message.Upload;
import io.millrace.loop.EventLoop;
import io.millrace.proxy.BackendAttempt.AttemptBody;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// The body of a forwarded request: a value, which may be sent again, or a stream.
final class ClientBody {
    private static final Set<String> EXPECT_BODY = Set.of("POST", "PUT", "PATCH");

    private final String method;

    /// Its length in bytes, or [Body#UNKNOWN].
    private final long length;

    private final boolean mayHaveTrailers;

    /// Makes the trailers for the backend from the client's.
    private final UnaryOperator<Headers> passedTrailers;

    /// The whole body, if it is there; empty otherwise. Set before the first attempt, like the next field.
    private Bytes whole;

    private Optional<BodyPipe> arriving;
    private boolean expectsContinue;

    private ClientBody(String method, Bytes whole) {
        this.method = method;
        this.whole = whole;
        this.arriving = Optional.empty();
        this.length = whole.length();
        this.mayHaveTrailers = false;
        this.passedTrailers = UnaryOperator.identity();
    }

    private ClientBody(Request request, ReceivedRequest sent, BodyPipe arriving, Forwarding forwarding) {
        this.method = request.method();
        this.whole = Bytes.EMPTY;
        this.arriving = Optional.of(arriving);
        this.length = sent.bodyLength();
        this.expectsContinue = !sent.isOld() && request.header("Expect").isPresent();
        this.mayHaveTrailers = length == Body.UNKNOWN || sent.mayHaveTrailers();
        this.passedTrailers = forwarding.trailers(request);
    }

    /// On the thread that handles the request.
    ///
    /// @param sent the request as the peer sent it, if it came from a peer
    /// @param loop the request's
    static ClientBody of(Request request, @Nullable ReceivedRequest sent, EventLoop loop, Forwarding forwarding) {
        return sent != null && sent.isBodyToCome()
                ? new ClientBody(request, sent, new BodyPipe(loop, sent::wake), forwarding)
                : new ClientBody(request.method(), whole(request));
    }

    private static Bytes whole(Request from) {
        var body = from.body();
        return body.isEmpty() ? Bytes.EMPTY : body.readBytes(body.remaining());
    }

    /// The stream; empty if the body is a value.
    Optional<BodyPipe> arriving() {
        return arriving;
    }

    Bytes whole() {
        return whole;
    }

    /// Its length in bytes, if the head tells it; 0 for a chunked body.
    long announced() {
        return Math.max(0, length);
    }

    /// Whether the client waits until the body is wanted.
    boolean expectsContinue() {
        return expectsContinue;
    }

    /// Collects up to this many bytes, and makes a value of the body if that is all of it.
    ///
    /// @param ready called afterwards
    void collect(long most, Runnable ready) {
        arriving.orElseThrow().collect(most, () -> {
            takeWhole();
            ready.run();
        });
    }

    private void takeWhole() {
        var all = arriving.flatMap(BodyPipe::takeWhole);
        if (all.isEmpty()) return;
        whole = all.get();
        arriving = Optional.empty();
        expectsContinue = false;
    }

    /// Keeps what is sent, up to so many bytes, for another attempt.
    void keep(long most) {
        arriving.ifPresent(it -> it.keep(most));
    }

    /// No other attempt follows.
    void forget() {
        arriving.ifPresent(BodyPipe::forget);
    }

    /// Its client may send nothing for as long as it likes.
    void pausing() {
        arriving.ifPresent(BodyPipe::pausing);
    }

    /// Whether some of it was sent, and cannot be sent again.
    boolean isGone() {
        return arriving.isPresent() && arriving.get().isGone();
    }

    /// Whether the client broke off.
    boolean hasFailed() {
        return arriving.isPresent() && arriving.get().hasFailed();
    }

    /// For [OutgoingHead#body].
    long outgoingLength() {
        if (arriving.isPresent()) return length;
        boolean isSilent = whole.length() == 0 && !EXPECT_BODY.contains(method);
        return isSilent ? OutgoingHead.NO_BODY : whole.length();
    }

    /// The body for one attempt.
    Optional<Upload> upload() {
        if (arriving.isEmpty()) return Optional.empty();
        arriving.get().rewind();
        var upload = Upload.of(new AttemptBody(arriving.get(), mayHaveTrailers, passedTrailers), length);
        upload.begin();
        return Optional.of(upload);
    }

    /// It is not sent any more.
    void close() {
        arriving.ifPresent(BodyPipe::onClose);
    }
}
