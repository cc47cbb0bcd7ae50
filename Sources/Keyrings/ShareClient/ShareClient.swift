package import CredentialCore
internal import Glibc
internal import System

/// The sign-in of another machine, asked for where this one has no keyring: in a container, or at the other end of ssh.
///
/// A socket that answers has the last word. One at which nobody listens, or that has nothing to say about a host, leads to
/// the next one.
package struct ShareClient {
    /// Where sockets are looked for.
    package enum Source {
        /// Where `GITSPACE_SHARE` says.
        case named
        /// At all other places.
        case usual
    }

    /// What comes of asking.
    ///
    /// Not a `Result`: to make its metadata, the runtime would search every conformance on git's path.
    package enum Reply {
        case credential(Answer.Credential)
        case failure(ShareFailure)
    }

    /// How long all answers together may take, in milliseconds: a person at the other machine may be asked, and has half
    /// a minute.
    private static let patience: Int64 = 40_000
    /// How long a connection may take, in milliseconds.
    private static let connectPatience = 1_000
    /// Longer answers are none: a token has some hundred bytes.
    private static let longestAnswer = 8_192

    private let environment: (String) -> String?
    private let clock = SystemClock()

    /// A client.
    ///
    /// - Parameter environment: looks up a variable.
    package init(environment: @escaping (String) -> String?) { self.environment = environment }

    /// Whether a person has named a socket, which is then asked before the keyring.
    package var isNamed: Bool { SharedSocket.named(environment) != nil }

    /// Whether there is a socket to be asked.
    package func isThere(_ source: Source) -> Bool { !sockets(source).isEmpty }

    /// Asks for the credential of a request.
    package func get(_ context: CredentialContext, _ request: Request, from source: Source) -> Reply {
        guard let question = ShareQuestion(context, request) else { return .failure(.silent) }
        return get(question, question.lines(.get, ofKnownCredential: false), from: source)
    }

    /// Whether the credential in a request is the one that the other machine hands out.
    ///
    /// The credential itself is compared here. The other machine learns its digest, so that it need not ask a person once
    /// more for what this one has already.
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
                // That somebody is there says more than that others are not.
                if outcome != .silent { outcome = error }
            }
        }
        return .failure(outcome)
    }

    /// Says that the credential in a request was rejected, without the credential: whoever handed it out may look, and
    /// get a new one.
    ///
    /// Nobody waits for what comes of it.
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
        // Growing beyond it would leave a copy behind.
        answer.reserveCapacity(4 * Self.longestAnswer)
        defer { answer.wipe() }
        do throws(UnixSocket.Failure) {
            try connection.send(lines)
            connection.finishSending()
            while try connection.receive(into: &answer) {
                guard answer.count <= Self.longestAnswer else { break }
            }
        } catch {
            // A forwarded socket whose other end nobody serves breaks off before it has said anything.
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
