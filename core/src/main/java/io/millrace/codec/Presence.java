package io.millrace.codec;

/// A user has joined a [Group] with the first connection, or left it with the last one.
public record Presence(String user, boolean isHere) {}
