package io.millrace.http.filter;

import java.util.Arrays;

/// Text for Prometheus and compatible collectors: families of metrics, each followed by its samples.
///
/// ```
/// # TYPE millrace_guard_acted counter
/// # HELP millrace_guard_acted How often a limit has acted.
/// millrace_guard_acted_total{guard="http.head"} 3
/// # EOF
/// ```
/// That is OpenMetrics. Prometheus's own text has the same samples; there a counter's family ends in `_total`,
/// too, and units and the end are left out. Used by one thread.
public final class MetricsText {
    private static final double NANOS_PER_SECOND = 1e9;

    private final StringBuilder text = new StringBuilder(8 << 10);
    private final Format format;
    private String family = "";

    MetricsText(Format format) {
        this.format = format;
    }

    /// The format.
    public enum Format {
        /// OpenMetrics 1.0.
        OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8"),
        /// Prometheus's text, the default.
        PROMETHEUS("text/plain; version=0.0.4; charset=utf-8");

        private final String mediaType;

        Format(String mediaType) {
            this.mediaType = mediaType;
        }

        public String mediaType() {
            return mediaType;
        }
    }

    /// Begins the samples of a number that only grows.
    public MetricsText counter(String name, String help) {
        return begin(name, "counter", help);
    }

    /// Begins the samples of a number that goes up and down.
    public MetricsText gauge(String name, String help) {
        return begin(name, "gauge", help);
    }

    /// Begins histograms of seconds.
    public MetricsText histogram(String name, String help) {
        return begin(name, "histogram", help);
    }

    private MetricsText begin(String name, String type, String help) {
        family = name;
        boolean isOpen = format == Format.OPEN_METRICS;
        var called = !isOpen && type.equals("counter") ? name + "_total" : name;
        text.append("# TYPE ").append(called).append(' ').append(type).append('\n');
        if (isOpen && name.endsWith("_seconds"))
            text.append("# UNIT ").append(name).append(" seconds\n");
        if (isOpen && name.endsWith("_bytes"))
            text.append("# UNIT ").append(name).append(" bytes\n");
        text.append("# HELP ").append(called).append(' ').append(help).append('\n');
        return this;
    }

    /// A sample of a counter.
    ///
    /// @param labels name, value, name, value, …
    public void total(long value, String... labels) {
        sample("_total", labels).append(value).append('\n');
    }

    public void total(double value, String... labels) {
        sample("_total", labels).append(value).append('\n');
    }

    /// A sample of a gauge.
    public void value(long value, String... labels) {
        sample("", labels).append(value).append('\n');
    }

    public void value(double value, String... labels) {
        sample("", labels).append(value).append('\n');
    }

    public void value(boolean isTrue, String... labels) {
        value(isTrue ? 1L : 0L, labels);
    }

    /// A histogram.
    public void buckets(Histogram histogram, String... labels) {
        var bounds = Histogram.bounds();
        var counts = histogram.cumulative();
        for (int i = 0; i < counts.length; i++) {
            var bound = i < bounds.length ? Double.toString(bounds[i]) : "+Inf";
            sample("_bucket", with(labels, "le", bound)).append(counts[i]).append('\n');
        }
        sample("_count", labels).append(counts[counts.length - 1]).append('\n');
        sample("_sum", labels).append(histogram.nanos() / NANOS_PER_SECOND).append('\n');
    }

    /// The labels and one more.
    public static String[] with(String[] labels, String name, String value) {
        var more = Arrays.copyOf(labels, labels.length + 2);
        more[labels.length] = name;
        more[labels.length + 1] = value;
        return more;
    }

    private StringBuilder sample(String suffix, String... labels) {
        text.append(family).append(suffix);
        for (int i = 0; i < labels.length; i += 2) {
            text.append(i == 0 ? '{' : ',').append(labels[i]).append("=\"");
            escape(labels[i + 1]);
            text.append('"');
        }
        return text.append(labels.length == 0 ? " " : "} ");
    }

    private void escape(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\\' -> text.append("\\\\");
                case '"' -> text.append("\\\"");
                case '\n' -> text.append("\\n");
                default -> text.append(c);
            }
        }
    }

    /// The whole text.
    String end() {
        return format == Format.OPEN_METRICS ? text.append("# EOF\n").toString() : text.toString();
    }
}
