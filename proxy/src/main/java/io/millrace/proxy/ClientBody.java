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

/// The body of a request that is passed on: a value, which may be sent again, or as it arrives.
final class ClientBody {
    private static final Set<String> EXPECT_BODY = Set.of("POST", "PUT", "PATCH");

    private final String method;

    /// In bytes, or [Body#UNKNOWN].
    private final long length;

    /// Makes of the fields behind it those that the backend gets.
    private final UnaryOperator<Headers> passedTrailers;

    /// All of it, if that is there; empty otherwise. Set before the first attempt, like what follows.
    private Bytes whole;

    private Optional<BodyPipe> arriving;
    private boolean expectsContinue;

    private ClientBody(String method, Bytes whole) {
        this.method = method;
        this.whole = whole;
        this.arriving = Optional.empty();
        this.length = whole.length();
        this.passedTrailers = UnaryOperator.identity();
    }

    private ClientBody(Request request, ReceivedRequest sent, BodyPipe arriving, Forwarding forwarding) {
        this.method = request.method();
        this.whole = Bytes.EMPTY;
        this.arriving = Optional.of(arriving);
        this.length = sent.bodyLength();
        this.expectsContinue = !sent.isOld() && request.header("Expect").isPresent();
        this.passedTrailers = length == Body.UNKNOWN ? forwarding.trailers(request) : UnaryOperator.identity();
    }

    /// By the thread that handles the request.
    ///
    /// @param sent the request as a peer sent it, if one did
    /// @param loop its
    static ClientBody of(Request request, @Nullable ReceivedRequest sent, EventLoop loop, Forwarding forwarding) {
        return sent != null && sent.isBodyToCome()
                ? new ClientBody(request, sent, new BodyPipe(loop, sent::wake), forwarding)
                : new ClientBody(request.method(), whole(request));
    }

    private static Bytes whole(Request from) {
        var body = from.body();
        return body.isEmpty() ? Bytes.EMPTY : body.readBytes(body.remaining());
    }

    /// As it arrives; empty when it is a value.
    Optional<BodyPipe> arriving() {
        return arriving;
    }

    Bytes whole() {
        return whole;
    }

    /// In bytes, as far as the head tells; 0 for one in chunks.
    long announced() {
        return Math.max(0, length);
    }

    /// Whether its sender waits until somebody wants it.
    boolean expectsContinue() {
        return expectsContinue;
    }

    /// Collects it for so many bytes, and makes a value of it if that is all.
    ///
    /// @param ready called then
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

    /// Whether some of it was sent, and is gone.
    boolean isGone() {
        return arriving.isPresent() && arriving.get().isWanted();
    }

    /// Whether its sender broke off.
    boolean hasFailed() {
        return arriving.isPresent() && arriving.get().hasFailed();
    }

    /// For [OutgoingHead#body].
    long outgoingLength() {
        if (arriving.isPresent()) return length;
        boolean isSilent = whole.length() == 0 && !EXPECT_BODY.contains(method);
        return isSilent ? OutgoingHead.NO_BODY : whole.length();
    }

    /// For one attempt.
    Optional<Upload> upload() {
        if (arriving.isEmpty()) return Optional.empty();
        var upload = Upload.of(new AttemptBody(arriving.get(), passedTrailers), length);
        upload.begin();
        return Optional.of(upload);
    }

    /// Nobody sends it any more.
    void close() {
        arriving.ifPresent(BodyPipe::onClose);
    }
}
