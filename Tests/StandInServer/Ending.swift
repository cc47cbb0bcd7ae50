import Dispatch
import Glibc

/// Waits for the end of the server: SIGTERM, SIGINT, or the end of standard input.
struct Ending {
    private let events: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Starts watching; from now on the signals do not terminate the process.
    init() {
        let (events, continuation) = AsyncStream.makeStream(of: Void.self)
        self.events = events
        sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { continuation.finish() }
            source.resume()
            return source
        }
        DispatchQueue.global().async {
            var byte: UInt8 = 0
            while read(STDIN_FILENO, &byte, 1) > 0 {}
            continuation.finish()
        }
    }

    /// Returns when a signal arrives or standard input ends.
    func wait() async { for await _ in events {} }
}
