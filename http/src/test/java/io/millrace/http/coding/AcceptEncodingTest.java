package io.millrace.http.coding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.http.Headers;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// RFC 9110 section 12.5.3, line by line.
class AcceptEncodingTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gzip                               | GZIP
            GZip                               | GZIP
            x-gzip                             | GZIP
            deflate, gzip, br, zstd            | GZIP
            deflate                            | DEFLATE
            gzip;q=0.5, deflate                | DEFLATE
            gzip ; q=0.5 , deflate ; q=0.4     | GZIP
            gzip;Q=0.001                       | GZIP
            *                                  | GZIP
            *;q=0.1                            | GZIP
            br, *                              | GZIP
            gzip;q=0, *                        | DEFLATE
            gzip;q=0                           |
            gzip;q=0.000, deflate;q=0          |
            *;q=0                              |
            br, zstd                           |
            ''                                 |
            identity                           |
            gzip;q=0.5, identity               |
            gzip;q=0.5, identity;q=0.9         |
            gzip, identity;q=0.5               | GZIP
            gzip;q=0.5, identity;q=0.5         | GZIP
            gzip;q=1.5                         |
            gzip;q=                            |
            gzip;level=9                       |
            gzip;q=0.1234                      |
            gzip;q=abc, deflate                | DEFLATE
            ,, gzip ,                          | GZIP
            """)
    void a_field_wants_a_coding(String field, Coding wanted) {
        assertEquals(
                java.util.Optional.ofNullable(wanted),
                AcceptEncoding.of(Headers.EMPTY.with("Accept-Encoding", field)).coding());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gzip, br, zstd          | BR ZSTD GZIP
            gzip, br;q=0.9          | GZIP BR
            *, br;q=0               | ZSTD GZIP
            br;q=0.3, identity      |
            ''                      |
            """)
    void codings_of_files_are_in_the_order_of_their_weights(String field, @Nullable String wanted) {
        var all = AcceptEncoding.among(List.of(FileCoding.values()), Headers.EMPTY.with("Accept-Encoding", field));
        assertEquals(wanted == null ? "" : wanted, all.stream().map(Enum::name).collect(Collectors.joining(" ")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gzip                    | false
            gzip, identity;q=0      | true
            gzip, *;q=0             | true
            gzip, *;q=0, identity   | false
            identity;q=0            | false
            *;q=0                   | false
            """)
    void a_field_refuses_plain_bodies_when_it_says_so_and_takes_another(String field, boolean isRefused) {
        assertEquals(
                isRefused,
                AcceptEncoding.of(Headers.EMPTY.with("Accept-Encoding", field)).refusesPlain());
    }

    @Test
    void several_fields_are_one_list() {
        var fields = Headers.EMPTY.with("Accept-Encoding", "gzip;q=0.1").with("accept-encoding", "deflate");
        assertEquals(Coding.DEFLATE, AcceptEncoding.of(fields).coding().orElseThrow());
    }

    @Test
    void who_says_nothing_gets_it_plain() {
        assertEquals(true, AcceptEncoding.of(Headers.EMPTY).coding().isEmpty());
    }
}
