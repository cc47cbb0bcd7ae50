/// A plain HTTP port on loopback through which scripts steer a stand-in, as tests do through its methods.
///
/// Only for the machine it runs on: it hands out every secret the stand-in ever issued.
package final class ControlPort: Sendable {
    private let listener: Listener

    /// `http://127.0.0.1:PORT`.
    package var address: String { "http://127.0.0.1:\(listener.port)" }

    /// Opens the port for a stand-in.
    package init(for github: StandIn) async throws {
        listener = try Listener { (connection: consuming Connection) in
            connection.serve { .answer(ControlCommand($0, github: github).answer()) }
        }
    }

    /// Closes the port.
    package func stop() async { await listener.stop() }
}
