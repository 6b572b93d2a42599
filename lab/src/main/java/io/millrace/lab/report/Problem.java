package io.millrace.lab.report;

/// A peer that could not be measured, and why.
public record Problem(String peer, Shape shape, String what) {}
