package io.millrace.lab.peer.xsocket;

import org.xsocket.Execution;

/// The same on the thread that receives.
@Execution(Execution.NONTHREADED)
final class XSocketInlineEchoHandler extends XSocketEchoHandler {}
