package io.millrace.lab.load;

/// A load's messages, and the expected answers.
public sealed interface LoadMessages permits EchoMessages, HttpMessages, Http2Messages, WsMessages, FanOutMessages {}
