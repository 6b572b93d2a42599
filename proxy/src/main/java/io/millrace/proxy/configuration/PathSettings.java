package io.millrace.proxy.configuration;

import io.millrace.http.PathForm;
import java.util.List;

/// The forms of paths that some hosts of a listener take.
///
/// @param hosts as those of routes; empty for all that no other one names
public record PathSettings(List<String> hosts, PathForm form) {}
