module rooms {
    requires io.millrace.http;
}
