package io.millrace.cli;

import io.millrace.http.filter.ErrorPages;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// A file in place of the bodies of errors: `STATUS=FILE`, with a status or `4xx` or `5xx`.
record ErrorPageOption(int from, int to, String path) {
    private static final String FORM = "[45](xx|[0-9][0-9])=.*";

    boolean isOneStatus() {
        return from == to;
    }

    ErrorPages addedTo(ErrorPages pages) {
        return pages.pages(from, to, path);
    }

    static final class ToErrorPage implements ITypeConverter<ErrorPageOption> {
        @Override
        public ErrorPageOption convert(String text) {
            if (!text.matches(FORM)) {
                throw new TypeConversionException("'" + text
                        + "' is no page for errors: write STATUS=FILE, as in 404=/404.html or 5xx=/sorry.html");
            }
            var status = text.substring(0, 3);
            int from = Integer.parseInt(status.replace("xx", "00"));
            return new ErrorPageOption(from, status.endsWith("xx") ? from + 99 : from, text.substring(4));
        }
    }
}
