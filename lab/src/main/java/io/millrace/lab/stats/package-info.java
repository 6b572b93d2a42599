/// The arithmetic of a comparison: medians, intervals, ratios and verdicts, as plain functions of `double[]`.
@NullMarked
package io.millrace.lab.stats;

import org.jspecify.annotations.NullMarked;
