import Dispatch
import Glibc

/// The moment at which the server is told to go: SIGTERM, SIGINT, or the end of standard input.
struct Ending {
    private let events: AsyncStream<Void>
    private let sources: [any DispatchSourceSignal]

    /// Starts to watch; from here on the signals no longer end the process by themselves.
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

    /// Returns when that moment has come.
    func wait() async {
        for await _ in events {}
    }
}
