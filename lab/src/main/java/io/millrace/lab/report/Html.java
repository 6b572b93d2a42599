package io.millrace.lab.report;

/// HTML under construction. Every text goes through [#escape], so what a peer calls itself is never markup.
final class Html {
    private final StringBuilder text = new StringBuilder();

    /// Markup as it is: never with data in it.
    Html markup(String markup) {
        text.append(markup).append('\n');
        return this;
    }

    /// `<name>text</name>`.
    Html element(String name, String content) {
        text.append('<').append(name).append('>').append(escape(content));
        text.append("</").append(name).append(">\n");
        return this;
    }

    Html paragraph(String kind, String content) {
        text.append("<p class=\"").append(escape(kind)).append("\">");
        text.append(escape(content)).append("</p>\n");
        return this;
    }

    Html heading(int level, String id, String content) {
        text.append("<h").append(level).append(" id=\"").append(escape(id)).append("\">");
        text.append(escape(content)).append("</h").append(level).append(">\n");
        return this;
    }

    Html link(String id, String content) {
        text.append("<li><a href=\"#").append(escape(id)).append("\">");
        text.append(escape(content)).append("</a></li>\n");
        return this;
    }

    /// The place where `page.js` draws the chart of that number; the tables below it say the same.
    Html chart(int number, String title) {
        text.append("<div class=\"chart\" data-chart=\"").append(number).append("\" role=\"img\" aria-label=\"");
        text.append(escape("Chart. " + title + ". The tables say the same.")).append("\"></div>\n");
        return this;
    }

    /// A table that can be scrolled sideways where it is too wide.
    Html table(Table table, String kind) {
        text.append("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
        text.append(escape(table.caption()))
                .append("\">\n<table class=\"")
                .append(escape(kind))
                .append("\">\n");
        element("caption", table.caption());
        markup("<thead><tr>");
        table.head().forEach(cell -> markup("<th scope=\"col\">" + escape(cell) + "</th>"));
        markup("</tr></thead>\n<tbody>");
        for (var row : table.rows()) {
            text.append(
                    row.stream().anyMatch(cell -> cell.equals(Tables.PUBLISHED)) ? "<tr class=\"published\">" : "<tr>");
            text.append("<th scope=\"row\">").append(escape(row.getFirst())).append("</th>");
            row.stream().skip(1).forEach(this::cell);
            markup("</tr>");
        }
        return markup("</tbody></table></div>");
    }

    private void cell(String value) {
        var start = switch (value) {
            case "faster", Measure.LESS_CPU -> "<td class=\"good\">";
            case "slower", Measure.MORE_CPU -> "<td class=\"bad\">";
            default -> "<td>";
        };
        text.append(start).append(escape(value)).append("</td>");
    }

    static String escape(String value) {
        return value.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
