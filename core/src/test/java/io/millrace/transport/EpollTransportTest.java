package io.millrace.transport;

import io.millrace.memory.SlabPool;
import java.io.IOException;

class EpollTransportTest extends LinuxTransportContract {
    @Override
    Transport open(SlabPool pool) throws IOException {
        return new Epoll(pool);
    }
}
