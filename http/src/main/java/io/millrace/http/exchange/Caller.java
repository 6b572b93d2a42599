package io.millrace.http.exchange;

import io.millrace.bytes.Input;
import io.millrace.http.Headers;
import io.millrace.http.Response;
import io.millrace.http.message.OutgoingRequest;
import io.millrace.http.message.Upgraded;
import java.util.Optional;

/// A request in progress, and the recipient of its response. All calls come on the exchange's loop.
public interface Caller {
    /// The request; asked for each time it is sent.
    OutgoingRequest request();

    /// An exchange carries it from now on.
    void begun(ClientExchange exchange);

    /// An interim response has arrived, other than 100.
    void interim(Response head) throws Exception;

    /// What is wrong with the server's change of protocol, in words; empty if it was asked for.
    ///
    /// @param answer the fields of the 101 response
    default Optional<String> upgradeRefusal(Headers answer) {
        return Optional.of("another protocol, which was not asked for");
    }

    /// The protocol has changed as requested, and the connection serves only this caller. [#end] follows when it
    /// closes.
    default void upgraded(Upgraded connection) {}

    /// Nobody can ask this server for another protocol, which is no fault of its; [#failed] follows.
    default void offersNoUpgrade() {}

    /// The final head has arrived.
    void head(Response head) throws Exception;

    /// A part of the body; all of it must be read before the end.
    void body(Input part) throws Exception;

    /// The trailer fields; once, after the body.
    void trailers(Headers trailers) throws Exception;

    /// The response is complete, and its stream has been given back.
    void end();

    /// The stream has ended without a byte of a response, and the server has perhaps not read the request, or says
    /// that it has not.
    ///
    /// @return whether that is a failure, which is reported next; otherwise the request is sent once more
    default boolean failsOnStaleConnection() {
        return false;
    }

    /// The exchange is over without a failure: another one will carry the request.
    default void givenBack() {}

    /// The server has said that it did not process the request, and will not; then [#failsOnStaleConnection].
    default void refused() {}

    /// The server takes the request in HTTP/1.1, which the next connection to it speaks; then [#refused].
    default void fallsBack() {}

    /// The server speaks HTTP/2, and not HTTP/1.1, which it was asked in; [#failed] follows.
    default void speaksOnlyHttp2() {}

    /// Whether it prefers a connection that has not served before.
    default boolean wantsNew() {
        return false;
    }

    /// There will be no response, or no more of it.
    ///
    /// @param cause the network's failure, or the reader's exception
    void failed(Throwable cause);

    /// The caller has given up.
    boolean isOver();
}
