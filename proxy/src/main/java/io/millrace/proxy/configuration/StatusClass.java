package io.millrace.proxy.configuration;

/// What a status says of how a request went.
public enum StatusClass {
    /// It went as asked: 101, 2xx, and 304, which stands for a 200.
    SUCCESS,
    /// The client is sent elsewhere: 3xx without 304.
    REDIRECT,
    /// It could not be done: 4xx and 5xx.
    ERROR;

    /// That of a status, 100 to 599.
    public static StatusClass of(int status) {
        if (status >= 400) return ERROR;
        return status < 300 || status == 304 ? SUCCESS : REDIRECT;
    }
}
