/// A plain HTTP port on loopback that lets scripts control a stand-in, as tests do through its methods.
///
/// Never for another machine: it returns every secret that the stand-in has issued.
package final class ControlPort: Sendable {
    private let listener: Listener

    /// The port's address: `http://127.0.0.1:PORT`.
    package var address: String { "http://127.0.0.1:\(listener.port)" }

    package init(for github: StandIn) async throws {
        listener = try Listener { (connection: consuming Connection) in
            connection.serve { .answer(ControlCommand(request: $0, github: github).answer()) }
        }
    }

    package func stop() async { await listener.stop() }
}
