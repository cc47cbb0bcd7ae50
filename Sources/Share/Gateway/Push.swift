package import CredentialCore

/// What a push asks for, up to the flush after its commands (gitprotocol-pack(5), "Reference Update Request And Packfile
/// Transfer"): nothing of it is sent on before the policy has read it.
package struct Push: Equatable, Sendable {
    package struct Capabilities: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Either version of the report; they differ for refs that were pushed.
        package static let reportStatus = Self(rawValue: 1)
        package static let sideBand = Self(rawValue: 2)
        package static let sideBand64k = Self(rawValue: 4)
        /// Options follow the commands.
        package static let pushOptions = Self(rawValue: 8)
    }

    /// As they arrived, with the flush; to be sent on before whatever follows.
    package let bytes: [UInt8]
    /// Those of a signed push are only what its certificate says: nobody has verified it.
    package let commands: [PushCommand]
    package let capabilities: Capabilities
    /// With a certificate (git-push(1), `--signed`).
    package let isSigned: Bool
}

/// `old SP new SP ref`.
package struct PushCommand: Equatable, Sendable {
    package enum Change: String, Sendable {
        case created
        case updated
        case deleted
    }

    package let ref: ArraySlice<UInt8>
    private let new: ArraySlice<UInt8>
    package let change: Change

    fileprivate init(_ text: ArraySlice<UInt8>, _ parts: PushReader.Parts) {
        ref = text[parts.ref]
        new = text[parts.new]
        let old = text[parts.old]
        change = new.isZero ? .deleted : old.isZero ? .created : .updated
    }

    /// A branch without `refs/heads/`.
    package var displayName: DisplayText { Self.displayName(of: ref) }

    static func displayName(of ref: ArraySlice<UInt8>) -> DisplayText {
        DisplayText(untrusted: ref.starts(with: RefName.heads) ? ref.dropFirst(RefName.heads.count) : ref)
    }

    /// The first seven digits of the new object's ID.
    package var abbreviatedID: DisplayText { DisplayText(untrusted: new.prefix(7)) }
}

extension ArraySlice<UInt8> {
    fileprivate var isZero: Bool { allSatisfy { $0 == UInt8(ascii: "0") } }
}

/// Reads the beginning of a push as it arrives, in pieces of any size.
package struct PushReader {
    /// In bytes, with all framing.
    package static let longest = 1 << 20

    /// The name of a ref in bytes: PATH_MAX, so that it fits into a line of a report.
    private static let longestName = 4_096

    /// Where the parts of a command are in `bytes`.
    fileprivate struct Parts {
        let old: Range<Int>
        let new: Range<Int>
        let ref: Range<Int>
    }

    private enum State {
        case shallow
        case commands
        case certificate
        case certificateEnd
        /// Nothing was asked for: a probe before a large push, or a shallow repository without anything to push.
        case nothing
        case complete
    }

    private var state = State.shallow
    private var bytes: [UInt8] = []
    /// Of the line that is being read: its length, then all of it.
    private var lineStart = 0
    private var lineEnd = 4
    private var commands: [Parts] = []
    private var capabilities: Push.Capabilities = []
    private var isSigned = false

    package init() {}

    /// Takes bytes up to the flush after the commands; nil if it has not come yet.
    package mutating func take(_ input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Push? {
        while state != .complete, !input.isEmpty {
            // Whoever asks for nothing sends nothing more: a list that follows is one that another reader might find.
            guard state != .nothing else { throw .malformed }
            guard lineEnd <= Self.longest else { throw .pushTooLarge }
            let piece = input.prefix(lineEnd - bytes.count)
            bytes += piece
            input = input[piece.endIndex...]
            guard bytes.count == lineEnd else { break }
            guard lineEnd > lineStart + 4 else {
                try readLength()
                continue
            }
            try readLine(lineStart + 4..<lineEnd)
            startLine()
        }
        return state == .complete ? push : nil
    }

    /// At the end of the body, if it comes before a push was complete.
    package func finish() throws(HTTPRefusal) -> Push {
        guard state == .nothing else { throw .malformed }
        return push
    }

    private var push: Push {
        Push(
            bytes: bytes, commands: commands.map { PushCommand(bytes[...], $0) }, capabilities: capabilities,
            isSigned: isSigned)
    }

    private mutating func startLine() {
        lineStart = bytes.count
        lineEnd = lineStart + 4
    }

    private mutating func readLength() throws(HTTPRefusal) {
        switch PacketLine.length(bytes[lineStart...]) {
        case 0?: try readFlush()
        case let length? where length > 4: lineEnd = lineStart + length
        default: throw .malformed
        }
    }

    private mutating func readFlush() throws(HTTPRefusal) {
        switch state {
        case .shallow: state = .nothing
        case .commands, .certificateEnd: state = .complete
        case .certificate, .nothing, .complete: throw .malformed
        }
        startLine()
    }

    /// Without its length.
    private mutating func readLine(_ line: Range<Int>) throws(HTTPRefusal) {
        let text = bytes[line]
        let end = text.last == UInt8(ascii: "\n") ? line.upperBound - 1 : line.upperBound
        switch state {
        case .shallow:
            guard !text.starts(with: "shallow ".utf8) else {
                guard isID(line.lowerBound + 8..<end) else { throw .malformed }
                return
            }
            let list = text[..<end].firstIndex(of: 0) ?? end
            if list < end { try readCapabilities(bytes[list + 1..<end]) }
            isSigned = text[..<list].elementsEqual("push-cert".utf8)
            state = isSigned ? .certificate : .commands
            if !isSigned { try commands.append(command(line.lowerBound..<list)) }
        case .commands: try commands.append(command(line.lowerBound..<end))
        case .certificate:
            if text.elementsEqual("push-cert-end\n".utf8) { state = .certificateEnd }
            if let command = try? command(line.lowerBound..<end) { commands.append(command) }
        case .certificateEnd, .nothing, .complete: throw .malformed
        }
    }

    /// A name with a blank or a control byte would be another name in a report, a log, or another reader.
    private func command(_ range: Range<Int>) throws(HTTPRefusal) -> Parts {
        let blank = UInt8(ascii: " ")
        guard let first = bytes[range].firstIndex(of: blank),
            let second = bytes[first + 1..<range.upperBound].firstIndex(of: blank)
        else { throw .malformed }
        let parts = Parts(
            old: range.lowerBound..<first, new: first + 1..<second, ref: second + 1..<range.upperBound)
        guard parts.old.count == parts.new.count, isID(parts.old), isID(parts.new),
            (1...Self.longestName).contains(parts.ref.count),
            bytes[parts.ref].allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { throw .malformed }
        return parts
    }

    /// Of SHA-1 or SHA-256, in lower case.
    private func isID(_ range: Range<Int>) -> Bool {
        [40, 64].contains(range.count)
            && bytes[range].allSatisfy(Hexadecimal.isLowercase)
    }

    /// By whole words, as git does: also in front of a `=`.
    private mutating func readCapabilities(_ list: ArraySlice<UInt8>) throws(HTTPRefusal) {
        guard list.allSatisfy({ (0x20...0x7e).contains($0) }) else { throw .malformed }
        for word in list.split(separator: UInt8(ascii: " ")) {
            switch String(decoding: word.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) {
            case "report-status", "report-status-v2": capabilities.insert(.reportStatus)
            case "side-band": capabilities.insert(.sideBand)
            case "side-band-64k": capabilities.insert(.sideBand64k)
            case "push-options": capabilities.insert(.pushOptions)
            default: break
            }
        }
    }
}
