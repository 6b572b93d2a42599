package io.millrace.lab.report;

/// A peer that could not be measured, and why.
public record Unmeasured(String peer, LoadShape shape, String what) {}
