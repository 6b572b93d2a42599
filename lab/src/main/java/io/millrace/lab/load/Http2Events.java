package io.millrace.lab.load;

import io.millrace.bytes.Input;

/// What [ResponseFrames] tell of a server's frames.
interface Http2Events {
    /// For sentences.
    String named();

    /// Fields of a response, or its trailers.
    ///
    /// @param status 0 without one
    void fields(int id, int status, boolean endsStream, int bytes) throws BadAnswer;

    /// A frame of a body begins.
    ///
    /// @param length of the frame's payload
    void dataBegins(int id, int length) throws BadAnswer;

    /// The next bytes of a body.
    ///
    /// @return how many it has read, 1 or more
    int body(int id, Input in, int bytes) throws BadAnswer;

    void ends(int id) throws BadAnswer;

    void reset(int id, int code) throws BadAnswer;

    /// Settings follow.
    void settings();

    void set(int setting, int value);

    void pinged(int high, int low);

    void windowGrows(int id, int more);

    void goesAway(int lastId, int code) throws BadAnswer;
}
