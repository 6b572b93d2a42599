package io.millrace.http.exchange;

import io.millrace.bytes.Input;

/// Consumes a request's body as it arrives.
sealed interface BodyConsumer permits CollectingConsumer, ReadingConsumer, PipingConsumer, DuplexResponse {
    /// The body follows.
    default void begin() throws Exception {}

    /// A part of it.
    void read(Input part) throws Exception;

    /// Decodes the body before it is read.
    DecodedBody decoded();

    /// The end of the body.
    void end() throws Exception;

    /// The body will not be complete; called once, instead of `end`.
    void abort();

    /// Whether it can take more.
    default boolean hasRoom() {
        return true;
    }

    /// Whether the body has been asked for yet.
    default boolean isWanted() {
        return true;
    }

    /// Whether its sender may send nothing for as long as it likes.
    default boolean mayPause() {
        return false;
    }

    /// Whether it goes on after another source has begun the response.
    default boolean outlastsHead() {
        return false;
    }
}
