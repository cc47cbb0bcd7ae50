package import CredentialCore

/// The answer to a push of which nothing reaches the host, in git's own words: the report that follows a push
/// (gitprotocol-pack(5), "Report Status").
package struct PushRefusal {
    package enum Reason: Equatable, Sendable {
        case branches([BranchPattern])
        case signed
        case options
        /// The process that shares gives no token; the reason is in its log.
        case notAllowed

        /// The rule, for the log; nil if the log has the reason already.
        var kind: GatewayRefusal? {
            switch self {
            case .branches: .branches
            case .signed: .signed
            case .options: .options
            case .notAllowed: nil
            }
        }
    }

    package let reason: Reason
    /// Those that may not be pushed; the others are not pushed because of them.
    package let commands: [PushCommand]
    private let push: Push

    /// Nil if nothing is refused.
    init?(of push: Push, _ reason: Reason, _ isRefused: (ArraySlice<UInt8>) -> Bool) {
        commands = push.commands.filter { isRefused($0.ref) }
        guard !commands.isEmpty else { return nil }
        self.reason = reason
        self.push = push
    }

    /// A client that reads no report would take any 200 for a success.
    package var response: GatewayResponse {
        guard push.capabilities.contains(.reportStatus) else { return GatewayResponse(HTTPRefusal.pushRefused(reason)) }
        return GatewayResponse(
            status: 200,
            fields: [
                ("Content-Type", "application/x-git-receive-pack-result"), ("Cache-Control", "no-cache"),
            ], body: .bytes(body))
    }

    private var body: [UInt8] {
        guard let bands = push.bands else { return report }
        var bytes: [UInt8] = []
        bands.append(.progress, Array("\(reason.sentence)\n".utf8), to: &bytes)
        bands.append(.data, report, to: &bytes)
        return bytes + PacketLine.flush
    }

    private var report: [UInt8] {
        var bytes: [UInt8] = []
        PacketLine.append("unpack ok\n".utf8, to: &bytes)
        let refused = Array(" \(reason.sentence)\n".utf8)
        let others = Array(" not pushed, because another ref was refused\n".utf8)
        var rest = commands[...]
        for command in push.commands {
            let isRefused = rest.first == command
            if isRefused { rest.removeFirst() }
            var line = Array("ng ".utf8)
            line += command.ref
            line += isRefused ? refused : others
            PacketLine.append(line, to: &bytes)
        }
        return bytes + PacketLine.flush
    }
}

extension PushRefusal.Reason {
    /// For whoever pushes.
    package var sentence: DisplayText { "gitspace: \(text)" }

    private var text: DisplayText {
        switch self {
        case .branches(let patterns):
            var names: DisplayText?
            for name in patterns.map(\.displayName) {
                let more = names.map { "\($0), \(name)" } ?? name
                // It stands in each line of the report.
                guard more.text.utf8.count <= DisplayText.longest else {
                    names = names.map { "\($0), ..." }
                    break
                }
                names = more
            }
            return "only \(names ?? "certain branches") may be pushed"
        case .signed: return "no signed push where branches are limited; push with --no-signed"
        case .options: return "no push options where branches are limited; push without -o"
        case .notAllowed: return "not allowed; see why where it is shared"
        }
    }
}
