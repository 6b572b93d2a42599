package io.millrace.http.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrpcTest {
    @ParameterizedTest
    @CsvSource({
        "application/grpc, true",
        "application/grpc+proto, true",
        "Application/gRPC; a=b, true",
        "application/grpc-web, false",
        "application/json, false",
        ", false"
    })
    void a_call_is_known_by_its_type(String type, boolean isCall) {
        assertEquals(isCall, Grpc.isCall(Optional.ofNullable(type)));
    }

    @ParameterizedTest
    @CsvSource({
        "308,  2", "400, 13", "401, 16", "403,  7", "404, 12", "405,  2", "413,  8", "429, 14", "431,  8", "500,  2",
        "502, 14", "503, 14", "504, 14"
    })
    void a_status_of_http_is_one_of_grpc(int status, int code) {
        assertEquals(code, Grpc.ofHttp(status));
    }

    @ParameterizedTest
    @CsvSource({"502 Bad Gateway, 502 Bad Gateway", "100 % ü~, 100 %25 %C3%BC~"})
    void a_message_is_visible_ascii(String text, String encoded) {
        assertEquals(encoded, Grpc.message(text));
    }
}
