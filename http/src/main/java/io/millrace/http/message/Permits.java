package io.millrace.http.message;

/// Limits how many of something there are at a time, for all loops together. Any thread.
public interface Permits {
    /// Without a limit.
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

    /// Takes a permit, which must be given back once ([#give]).
    ///
    /// @return false if there is none
    boolean take();

    void give();

    /// Calls back once when there may be a permit again, on the thread that gives it back, or at once. The
    /// permit may be taken meanwhile; then ask again.
    void whenGiven(Runnable told);

    /// How many callbacks wait.
    int wanted();
}
