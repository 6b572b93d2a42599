/// What a run of the lab found: the records, their JSON, and their three faces (Markdown, a page, a comparison of
/// two).
@NullMarked
package io.millrace.lab.report;

import org.jspecify.annotations.NullMarked;
