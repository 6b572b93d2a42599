package io.millrace.lab.report;

import io.millrace.lab.stats.Estimate;
import java.util.List;

/// A chart as `page.js` draws it; the tables have the same figures for readers who cannot see it.
///
/// @param kind how it is drawn
/// @param categories along the common axis; empty for [Kind#TIME]
record Chart(Kind kind, String title, List<String> categories, List<Panel> panels) {
    enum Kind {
        /// One horizontal bar for each category: a panel has one series.
        BARS,
        /// Bars in groups, a group for each category and in it a bar for each series.
        GROUPS,
        /// A line for each series over the categories.
        LINES,
        /// A line for each series over seconds.
        TIME
    }

    /// A plot of its own within the chart.
    ///
    /// @param unit of the value axis
    record Panel(String unit, boolean isLogarithmic, List<Series> series) {}

    record Series(String name, boolean isPublished, List<Point> points) {}

    /// NaN where there is no value, infinite where there is no bound.
    ///
    /// @param x the number of the category, or the second
    record Point(double x, double value, double low, double high) {
        static Point of(double x, Estimate estimate) {
            var interval = estimate.interval();
            return new Point(x, estimate.median(), Math.max(0, interval.low()), interval.high());
        }

        static Point of(double x, double value) {
            return new Point(x, value, Double.NaN, Double.NaN);
        }
    }
}
