package io.millrace.http.exchange;

import io.millrace.bytes.Input;

/// Who gets the body of a request as it arrives.
sealed interface BodyConsumer permits CollectingConsumer, ReadingConsumer, PipingConsumer, DuplexResponse {
    /// The body follows.
    default void begin() throws Exception {}

    /// Some of it.
    void read(Input part) throws Exception;

    /// What becomes of the body before it is read.
    DecodedBody decoded();

    /// That was all.
    void end() throws Exception;

    /// It will not be complete; called once, instead of `end`.
    void abort();

    /// Whether it goes on being read.
    default boolean hasRoom() {
        return true;
    }

    /// Whether anybody has asked for it yet.
    default boolean isWanted() {
        return true;
    }

    /// Whether it goes on behind the head of a response that somebody else began.
    default boolean outlastsHead() {
        return false;
    }
}
