package io.millrace.proxy.configuration;

import io.millrace.http.filter.PasswordHash;
import java.util.Map;

/// Who gets through with a name and a password (RFC 7617).
///
/// @param realm what the browser tells the user
/// @param users the hashes of their passwords
public record BasicAuthSettings(String realm, Map<String, PasswordHash> users) {}
