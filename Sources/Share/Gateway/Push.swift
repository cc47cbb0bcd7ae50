package import CredentialCore

/// The beginning of a push, up to the flush after its commands and options (gitprotocol-pack(5), "Reference Update
/// Request And Packfile Transfer"), which the policy reads before anything is passed on.
package struct Push: Equatable, Sendable {
    package enum Capability: String, Sendable {
        /// Either version of the report; they differ only for refs that were pushed.
        case reportStatus = "report-status"
        case sideBand = "side-band"
        case sideBand64k = "side-band-64k"
        /// Options follow the commands.
        case pushOptions = "push-options"
    }

    /// The bytes as they arrived, flush included; the host gets them first.
    package fileprivate(set) var bytes: [UInt8] = []
    /// The commands; those of a signed push are from an unverified certificate.
    package fileprivate(set) var commands: [PushCommand] = []
    package fileprivate(set) var capabilities: Set<Capability> = []
    /// Whether the push has a certificate (git-push(1), `--signed`).
    package fileprivate(set) var isSigned = false
    package fileprivate(set) var options: [ArraySlice<UInt8>] = []
    /// The positions of the first command, of its capabilities, and of the options.
    fileprivate(set) var firstLine = 0..<0
    fileprivate(set) var capabilityList = 0..<0
    fileprivate(set) var optionList = 0

    /// The bands of the answer, or `nil` if the client reads none.
    var bands: SideBand? {
        capabilities.contains(.sideBand64k)
            ? SideBand(longest: PacketLine.longest) : capabilities.contains(.sideBand) ? SideBand(longest: 1_000) : nil
    }
}

/// A command: `old SP new SP ref`.
package struct PushCommand: Equatable, Sendable {
    package enum Change: String, Sendable {
        case created
        case updated
        case deleted
    }

    package let ref: ArraySlice<UInt8>
    private let old: ArraySlice<UInt8>
    private let new: ArraySlice<UInt8>

    /// The most bytes of a ref's name: PATH_MAX, so that it fits into a line of a report.
    private static let longestName = 4_096

    /// Returns `nil` for any other text, and for a name with a blank or a control byte, which a report, a log or
    /// another parser would read differently.
    init?(line: ArraySlice<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == parts[1].count, Self.isID(parts[0]), Self.isID(parts[1]),
            (1...Self.longestName).contains(parts[2].count), parts[2].allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { return nil }
        (old, new, ref) = (parts[0], parts[1], parts[2])
    }

    /// Whether a text is an object ID of SHA-1 or SHA-256, in lower case.
    fileprivate static func isID(_ text: ArraySlice<UInt8>) -> Bool {
        [40, 64].contains(text.count) && text.allSatisfy(Hexadecimal.isLowercase)
    }

    package var change: Change { Self.isZero(new) ? .deleted : Self.isZero(old) ? .created : .updated }
    private static func isZero(_ id: ArraySlice<UInt8>) -> Bool { id.allSatisfy { $0 == UInt8(ascii: "0") } }
    var line: [UInt8] { Array([old, new, ref].joined(separator: [UInt8(ascii: " ")])) }

    /// A branch's name without `refs/heads/`; letters of any script are kept.
    package var displayName: DisplayText {
        DisplayText(foreign: ref.starts(with: RefName.heads) ? ref.dropFirst(RefName.heads.count) : ref)
    }

    /// `nil` for any other ref, and for a name that is not UTF-8.
    var branch: String? {
        ref.starts(with: RefName.heads) ? String(validating: ref.dropFirst(RefName.heads.count), as: UTF8.self) : nil
    }

    /// The first seven digits of the old and the new ID, or of the only one; a forced push looks the same.
    package var abbreviatedIDs: DisplayText {
        let (old, new) = (DisplayText(untrusted: old.prefix(7)), DisplayText(untrusted: new.prefix(7)))
        return switch change {
        case .created: new
        case .updated: "\(old)..\(new)"
        case .deleted: old
        }
    }
}

extension DisplayText {
    /// Makes a displayable text from foreign bytes, and keeps letters of any script.
    init(foreign bytes: some Collection<UInt8>) {
        guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(UInt8(ascii: "\\")) else {
            self.init(untrusted: bytes)
            return
        }
        let scalars = text.unicodeScalars
        let shown = DisplayText(trusted: String(String.UnicodeScalarView(scalars.prefix(Self.longest))))
        self = scalars.count > Self.longest ? "\(shown)..." : shown
    }
}

package struct PushReader {
    /// The most bytes of the beginning, with all framing.
    package static let longest = 1 << 20

    private enum State {
        case shallow
        case commands
        /// The head of a certificate, up to the blank line before its commands.
        case certificate
        case certificateCommands
        case signature
        case certificateEnd
        case options
        /// The push has no commands: a probe before a large push, or a shallow repository with nothing to push.
        case nothing
        case complete
    }

    private var state = State.shallow
    private var push = Push()
    /// The end is known once the line's length has been read.
    private var lineStart = 0
    private var lineEnd = 4
    package init() {}

    /// Takes bytes up to the end of the push's beginning; `nil` if that has not arrived yet.
    package mutating func take(_ input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Push? {
        while state != .complete, !input.isEmpty {
            // A push without commands must end here: another parser might find commands in what follows.
            guard state != .nothing else { throw .malformed }
            guard lineEnd <= Self.longest else { throw .pushTooLarge }
            let piece = input.prefix(lineEnd - push.bytes.count)
            push.bytes += piece
            input = input[piece.endIndex...]
            guard push.bytes.count == lineEnd else { break }
            guard lineEnd > lineStart + 4 else {
                try readLength()
                continue
            }
            try readLine(at: lineStart + 4)
            startLine()
        }
        return state == .complete ? push : nil
    }

    /// Returns the push of a body without commands, which has just ended.
    package func finish() throws(HTTPRefusal) -> Push {
        guard state == .nothing else { throw .malformed }
        return push
    }

    private mutating func startLine() {
        lineStart = push.bytes.count
        lineEnd = lineStart + 4
    }

    private mutating func readLength() throws(HTTPRefusal) {
        switch PacketLine.length(push.bytes[lineStart...]) {
        case 0?: try readFlush()
        case let length? where length > 4: lineEnd = lineStart + length
        case 4? where state == .options:
            push.options.append([])
            startLine()
        default: throw .malformed
        }
    }

    private mutating func readFlush() throws(HTTPRefusal) {
        switch state {
        case .shallow: state = .nothing
        case .commands, .certificateEnd:
            push.optionList = push.bytes.count
            state = push.capabilities.contains(.pushOptions) ? .options : .complete
        case .options: state = .complete
        case .certificate, .certificateCommands, .signature, .nothing, .complete: throw .malformed
        }
        startLine()
    }

    /// `start` is the position after the line's length.
    private mutating func readLine(at start: Int) throws(HTTPRefusal) {
        // A copy: a slice would make the bytes copy themselves when they grow.
        let text = Array(push.bytes[start...])
        let line = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        switch state {
        case .shallow:
            guard !line.starts(with: "shallow ".utf8) else {
                guard PushCommand.isID(line.dropFirst(8)) else { throw .malformed }
                return
            }
            let list = line.firstIndex(of: 0) ?? line.endIndex
            try readCapabilities(line[list...].dropFirst())
            push.firstLine = lineStart..<lineEnd
            push.capabilityList = start + min(list + 1, line.endIndex)..<start + line.endIndex
            push.isSigned = line[..<list].elementsEqual("push-cert".utf8)
            state = push.isSigned ? .certificate : .commands
            if !push.isSigned { try addCommand(line[..<list]) }
        case .commands: try addCommand(line)
        case .options: push.options.append(line)
        // A packet has one line here; git would read each of several lines as a command.
        case .certificate, .certificateCommands, .signature:
            guard line.count < text.count, !line.contains(UInt8(ascii: "\n")) else { throw .malformed }
            try readCertificate(line)
        case .certificateEnd, .nothing, .complete: throw .malformed
        }
    }

    private mutating func readCertificate(_ text: ArraySlice<UInt8>) throws(HTTPRefusal) {
        switch state {
        case .certificate where text.isEmpty: state = .certificateCommands
        case .certificateCommands where text.starts(with: "-----BEGIN ".utf8) && !push.commands.isEmpty:
            state = .signature
        case .certificateCommands: try addCommand(text)
        case .signature where text.elementsEqual("push-cert-end".utf8): state = .certificateEnd
        case .certificate where text.elementsEqual("push-cert-end".utf8): throw .malformed
        default: break
        }
    }

    private mutating func addCommand(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard let command = PushCommand(line: line) else { throw .malformed }
        push.commands.append(command)
    }

    /// Reads capabilities as whole words, or up to a `=`, as git does.
    private mutating func readCapabilities(_ list: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard list.allSatisfy({ (0x20...0x7e).contains($0) }) else { throw .malformed }
        for word in list.split(separator: UInt8(ascii: " ")) {
            let name = String(decoding: word.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
            let known = name == "report-status-v2" ? .reportStatus : Push.Capability(rawValue: name)
            if let known { push.capabilities.insert(known) }
        }
    }
}
