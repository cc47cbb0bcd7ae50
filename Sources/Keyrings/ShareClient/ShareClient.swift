package import CredentialCore
internal import Glibc
internal import System

/// Asks another machine for a credential where this one has no keyring: in a container, or at the other end of ssh.
///
/// The first socket that answers decides. If nothing listens at a socket, or it has no answer for the host, the next
/// one is tried.
package struct ShareClient {
    /// Where to look for sockets.
    package enum Source {
        /// At the path in `GITSPACE_SHARE`.
        case named
        /// In all other places.
        case usual
    }

    /// The result of a request.
    ///
    /// Not a `Result`: to create its metadata, the runtime would search every conformance while git waits.
    package enum Reply {
        case credential(Answer.Credential)
        case failure(ShareFailure)
    }

    /// How long all answers together may take, in milliseconds: the other machine may ask a person, who has 30 seconds
    /// to answer.
    private static let patience: Int64 = 40_000
    /// How long a connection may take, in milliseconds.
    private static let connectPatience = 1_000
    /// Longer answers are invalid: a token is much shorter.
    private static let longestAnswer = 8_192

    private let environment: (String) -> String?
    private let clock = SystemClock()

    /// Creates a client.
    ///
    /// - Parameter environment: looks up a variable.
    package init(environment: @escaping (String) -> String?) { self.environment = environment }

    /// Whether a person has named a socket, which is then asked before the keyring.
    package var isNamed: Bool { SharedSocket.named(environment) != nil }

    /// Whether there is a socket to ask.
    package func isThere(_ source: Source) -> Bool { !sockets(source).isEmpty }

    /// Asks for the credential of a request.
    package func get(_ context: CredentialContext, _ request: Request, from source: Source) -> Reply {
        guard let question = ShareQuestion(context, request) else { return .failure(.silent) }
        return get(question, question.lines(.get, ofKnownCredential: false), from: source)
    }

    /// Whether the credential in a request is the one that the other machine hands out.
    ///
    /// The credential itself is compared here. The other machine receives only its digest, so that it need not ask a
    /// person again for a credential that this machine already has.
    package func handsOut(_ context: CredentialContext, _ request: Request, from source: Source) -> Bool {
        guard let question = ShareQuestion(context, request),
            case .credential(let credential) = get(
                question, question.lines(.get, ofKnownCredential: true), from: source)
        else { return false }
        return credential.username == request.username && credential.password == request.password
    }

    private func get(_ question: ShareQuestion, _ lines: [UInt8], from source: Source) -> Reply {
        let end = clock.uptimeMilliseconds + Self.patience
        var outcome = ShareFailure.noSocket
        for socket in sockets(source) {
            do throws(ShareFailure) {
                return .credential(try get(question, lines, from: socket, until: end))
            } catch {
                if error.endsSearch { return .failure(error) }
                // A socket that answers tells more than one that is unreachable.
                if outcome != .silent { outcome = error }
            }
        }
        return .failure(outcome)
    }

    /// Reports that the credential in a request was rejected, without sending the credential: the machine that handed
    /// it out can check it and get a new one.
    ///
    /// Does not wait for an answer.
    package func reject(_ context: CredentialContext, _ request: Request, from source: Source) {
        guard let question = ShareQuestion(context, request) else { return }
        let end = clock.uptimeMilliseconds + Int64(Self.connectPatience)
        for socket in sockets(source) {
            guard let connection = connect(to: socket, until: end) else { continue }
            try? connection.send(question.lines(.erase, ofKnownCredential: true))
            return
        }
    }

    private func sockets(_ source: Source) -> [SharedSocket] {
        let sockets =
            switch source {
            case .named: SharedSocket.named(environment).map { [$0] } ?? []
            case .usual: SharedSocket.usual(environment)
            }
        return sockets.filter(\.isTrusted)
    }

    private func connect(to socket: SharedSocket, until end: Int64) -> UnixSocket? {
        let clock = clock
        guard
            let connection = UnixSocket.connected(
                to: .path(Array(socket.path.utf8)), within: Self.connectPatience,
                timeLeft: { end - clock.uptimeMilliseconds })
        else {
            if errno == ECONNREFUSED { socket.removeIfForwarded() }
            return nil
        }
        return connection
    }

    private func get(
        _ question: ShareQuestion, _ lines: [UInt8], from socket: SharedSocket, until end: Int64
    ) throws(ShareFailure) -> Answer.Credential {
        guard let connection = connect(to: socket, until: end) else { throw .unreachable }
        var answer: [UInt8] = []
        // Growing the array would leave a copy in memory.
        answer.reserveCapacity(4 * Self.longestAnswer)
        defer { answer.wipe() }
        do throws(UnixSocket.Failure) {
            try connection.send(lines)
            connection.finishSending()
            while try connection.receive(into: &answer) {
                guard answer.count <= Self.longestAnswer else { break }
            }
        } catch {
            // If nothing listens at the other end of a forwarded socket, the connection closes without any answer.
            throw error == .deadline ? .late : answer.isEmpty ? .unreachable : .unexpected
        }
        guard answer.count <= Self.longestAnswer else { throw .unexpected }
        switch try ShareAnswer(parsing: answer, askedAs: question.username, at: clock.now) {
        case .credential(let credential): return credential
        case .quit: throw .refused
        case .nothing: throw .silent
        }
    }
}
