import CredentialProtocol
import Desktop
import Helper
import Machine
import MachineLock
import OAuth
import Staging
import Synchronization
import TestSupport

/// The helper's story, told to a real notification service: its own network, keyring and clock are doubles.
struct Story: Sendable {
    /// What has come of it.
    struct End: Sendable {
        /// What git would read.
        let output: String
        /// What people were told.
        let complaints: [Complaint]
        /// The addresses that were opened.
        let opened: [String]
        /// How many requests the provider had.
        let requests: Int
    }

    let session: Session
    /// How long things may take; patience by default is for a busy machine.
    var limits = NotificationLimits()

    /// Lets git ask for a credential of github.com.
    ///
    /// - Parameters:
    ///   - polls: the answers to the polls, of which there is one in 1.2 seconds.
    ///   - directory: what stands for the bus's address; the session's own by default.
    func get(_ polls: HTTPResponse..., onBus address: String? = nil) async throws -> End {
        let address = address ?? session.environment["DBUS_SESSION_BUS_ADDRESS"]
        let polls = polls
        // On a thread of its own: the person is waited for without giving way.
        return try await Task.detached { [limits] in
            let doubles = Doubles()
            doubles.transport.answer(Self.code)
            for poll in polls { doubles.transport.answer(poll) }
            var opened: [String] = []
            var world = World.forTests(doubles)
            world.person = NotificationPerson(
                onBus: address, locks: FileLocks(), limits: limits, isCancelled: { false }, isAbandoned: { false },
                open: { opened.append($0) })
            let request = try Request("protocol=https\nhost=github.com")
            let output = CredentialHelper(in: world).answer(.get, request).encoded(for: request).text
            return End(
                output: output, complaints: doubles.complaints, opened: opened,
                requests: doubles.transport.requests.count)
        }.value
    }

    /// A code that is polled for every second, with characters in the address that mean something in markup.
    private static let code = HTTPResponse.json(
        """
        {"device_code":"3584d83530557fdd1f46af8289938c8ef79f9dc5","user_code":"WDJB-MJHT",\
        "verification_uri":"https://github.com/login/device?a=1&b=2","expires_in":900,"interval":1}
        """)
}
