package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.Upgraded;
import java.util.Optional;

/// A request on its way, and whoever waits for its response. All calls come on the loop of the exchange.
public interface Caller {
    /// What is sent, each time that it is.
    OutgoingRequest request();

    /// An exchange carries it from now on.
    void begun(ClientExchange exchange);

    /// An interim response has arrived, other than 100.
    void interim(Response head) throws Exception;

    /// What is wrong with a change of protocol that the server has made, in words; empty if it was asked for.
    ///
    /// @param answer the fields of its response with 101
    default Optional<String> upgradeRefusal(Headers answer) {
        return Optional.of("another protocol, which nobody asked for");
    }

    /// The protocol has changed as it was asked for, and the connection serves nobody else any more. [#end] follows
    /// when it closes.
    default void upgraded(Upgraded connection) {}

    /// The final head has arrived.
    void head(Response head) throws Exception;

    /// Some of the body has; all of it must be read before the end.
    void body(Input part) throws Exception;

    /// Fields came behind the body; once, after all of it.
    void trailers(Headers trailers) throws Exception;

    /// The response is complete, and what carried it has been given back.
    void end();

    /// What carries it has served others, and has ended without a byte of a response: perhaps before the request was
    /// there.
    ///
    /// @return whether that is a failure, which is told next; otherwise an idempotent request is sent once more
    default boolean failsOnStaleConnection() {
        return false;
    }

    /// Whether it would rather have a connection that has served nobody before.
    default boolean wantsNew() {
        return false;
    }

    /// There will be no response, or no more of it.
    ///
    /// @param cause what the network did, or what the reader threw
    void failed(Throwable cause);

    /// Nobody waits any more.
    boolean isOver();
}
