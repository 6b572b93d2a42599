package io.millrace.http.message;

/// How many of something there may be at a time, for all loops together. Any thread.
public interface Permits {
    /// As many as one likes.
    Permits ENDLESS = new Permits() {
        @Override
        public boolean take() {
            return true;
        }

        @Override
        public void give() {}

        @Override
        public void whenGiven(Runnable told) {}

        @Override
        public int wanted() {
            return 0;
        }
    };

    /// Takes one, which is given back once ([#give]).
    ///
    /// @return false when there is none
    boolean take();

    void give();

    /// Tells once that there may be one again, by the thread that gives it back, or by the caller. Whoever comes
    /// too late asks again.
    void whenGiven(Runnable told);

    /// How many wait to be told.
    int wanted();
}
