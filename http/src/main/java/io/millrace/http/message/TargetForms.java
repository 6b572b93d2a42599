package io.millrace.http.message;

import io.millrace.http.HttpLimits;
import io.millrace.http.PathForm;
import io.millrace.http.grammar.Target;
import java.util.function.Supplier;

/// The forms of targets that a server takes, as [Target] wants them.
public final class TargetForms {
    private TargetForms() {}

    /// The bits for a host.
    ///
    /// @param host with its port, asked for only if that matters
    public static int bits(HttpLimits limits, Supplier<String> host) {
        return bits(limits.paths().of(host));
    }

    private static int bits(PathForm form) {
        return (form.escapedSlashes() ? Target.ESCAPED_SLASHES : 0)
                | (form.emptySegments() ? Target.EMPTY_SEGMENTS : 0)
                | (form.unescaped() ? Target.UNESCAPED : 0);
    }
}
