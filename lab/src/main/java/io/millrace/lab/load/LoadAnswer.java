package io.millrace.lab.load;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/// The answers of a [LoadAgent], in their order.
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "answer")
@JsonSubTypes({
    @JsonSubTypes.Type(value = LoadAnswer.Ready.class, name = "ready"),
    @JsonSubTypes.Type(value = LoadAnswer.Begun.class, name = "begun"),
    @JsonSubTypes.Type(value = LoadAnswer.Second.class, name = "second"),
    @JsonSubTypes.Type(value = LoadAnswer.Done.class, name = "done"),
    @JsonSubTypes.Type(value = LoadAnswer.Checked.class, name = "checked"),
    @JsonSubTypes.Type(value = LoadAnswer.Held.class, name = "held"),
    @JsonSubTypes.Type(value = LoadAnswer.Failed.class, name = "failed")
})
public sealed interface LoadAnswer {
    /// It takes orders.
    record Ready() implements LoadAnswer {}

    /// All connections are open, and the first message starts now.
    record Begun() implements LoadAnswer {}

    /// Another second has passed.
    record Second(double messagesPerSecond, double megabytesPerSecond) implements LoadAnswer {}

    /// It is over.
    record Done(LoadResult result) implements LoadAnswer {}

    /// The response was right.
    record Checked() implements LoadAnswer {}

    /// How many connections are, or were, open and idle.
    record Held(int connections) implements LoadAnswer {}

    /// The order failed; why, in a sentence.
    record Failed(String sentence) implements LoadAnswer {}
}
