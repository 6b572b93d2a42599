package io.millrace.http.h2;

/// The static table (RFC 7541 appendix A).
final class HpackStatic {
    /// `name`, or `name: value`, from index 1 on.
    private static final String LINES = """
            :authority
            :method: GET
            :method: POST
            :path: /
            :path: /index.html
            :scheme: http
            :scheme: https
            :status: 200
            :status: 204
            :status: 206
            :status: 304
            :status: 400
            :status: 404
            :status: 500
            accept-charset
            accept-encoding: gzip, deflate
            accept-language
            accept-ranges
            accept
            access-control-allow-origin
            age
            allow
            authorization
            cache-control
            content-disposition
            content-encoding
            content-language
            content-length
            content-location
            content-range
            content-type
            cookie
            date
            etag
            expect
            expires
            from
            host
            if-match
            if-modified-since
            if-none-match
            if-range
            if-unmodified-since
            last-modified
            link
            location
            max-forwards
            proxy-authenticate
            proxy-authorization
            range
            referer
            refresh
            retry-after
            server
            set-cookie
            strict-transport-security
            transfer-encoding
            user-agent
            vary
            via
            www-authenticate
            """;

    private static final HpackField[] FIELDS =
            LINES.lines().map(HpackStatic::field).toArray(HpackField[]::new);

    /// The indexes up to this one are of this table.
    static final int COUNT = FIELDS.length;

    private HpackStatic() {}

    private static HpackField field(String line) {
        int colon = line.indexOf(": ");
        return colon < 0
                ? new HpackField(line, "")
                : new HpackField(line.substring(0, colon), line.substring(colon + 2));
    }

    /// @param index from 1 to [#COUNT]
    static HpackField field(int index) {
        return FIELDS[index - 1];
    }
}
