package io.millrace.lab.load;

/// What the messages of a load are, and what has to come back.
public sealed interface LoadMessages permits EchoMessages, HttpMessages {}
