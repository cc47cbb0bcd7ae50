import Glibc
import System
import Testing

@Suite("Signals that end or stop the process")
struct SignalWatchTests {
    @Test("does not stop a job that is continued before it has stopped")
    func earlyContinue() async {
        await #expect(processExitsWith: .success) {
            // SIGTSTP never stops a process group without a parent in the session.
            #expect(setpgid(0, 0) == 0)
            try endThisProcess(after: 60)
            let signals = try #require(SignalWatch())
            var told: [String] = []
            signals.willStop = {
                told.append("stop")
                raise(SIGCONT)
            }
            signals.hasContinued = { told.append("continue") }
            raise(SIGTSTP)
            #expect(!signals.look() && told.first == "stop" && told.last == "continue")
        }
    }
}

/// Ends this process after some seconds, even if it is stopped.
private func endThisProcess(after seconds: Int) throws {
    var event = sigevent()
    event.sigev_notify = Int32(SIGEV_SIGNAL)
    event.sigev_signo = SIGKILL
    var timer: timer_t?
    try #require(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
    var time = itimerspec()
    time.it_value.tv_sec = seconds
    try #require(timer_settime(timer, 0, &time, nil) == 0)
}
