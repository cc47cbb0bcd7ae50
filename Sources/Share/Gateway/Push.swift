package import CredentialCore

/// The beginning of a push, up to the flush after its commands and options (gitprotocol-pack(5), "Reference Update
/// Request And Packfile Transfer"), which the policy reads before anything is passed on.
package struct Push: Equatable, Sendable {
    package struct Capabilities: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// Either version of the report; they differ only for refs that were pushed.
        package static let reportStatus = Self(rawValue: 1)
        package static let sideBand = Self(rawValue: 2)
        package static let sideBand64k = Self(rawValue: 4)
        /// Options follow the commands.
        package static let pushOptions = Self(rawValue: 8)
    }

    /// The bytes as they arrived, flush included; the host gets them first.
    package let bytes: [UInt8]
    /// The commands; those of a signed push are from an unverified certificate.
    package let commands: [PushCommand]
    package let capabilities: Capabilities
    /// Whether the push has a certificate (git-push(1), `--signed`).
    package let isSigned: Bool
    package let options: [ArraySlice<UInt8>]
    /// The positions of the first command, of its capabilities, and of the options.
    let (firstLine, firstLineEnd): (Int, Int)
    let capabilityList: Range<Int>
    let optionList: Int

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

    package var change: Change { new.isZero ? .deleted : old.isZero ? .created : .updated }

    var line: [UInt8] { Array([old, new, ref].joined(separator: [UInt8(ascii: " ")])) }

    /// A branch's name without `refs/heads/`; letters of any script are kept.
    package var displayName: DisplayText {
        DisplayText(foreign: ref.starts(with: RefName.heads) ? ref.dropFirst(RefName.heads.count) : ref)
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

extension ArraySlice<UInt8> {
    fileprivate var isZero: Bool { allSatisfy { $0 == UInt8(ascii: "0") } }
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
    private var bytes: [UInt8] = []
    /// The end is known once the line's length has been read.
    private var lineStart = 0
    private var lineEnd = 4
    /// The lines of the commands, each of which has been parsed once.
    private var commands: [Range<Int>] = []
    private var capabilities: Push.Capabilities = []
    private var isSigned = false
    private var options: [Range<Int>] = []
    private var (firstLine, firstLineEnd) = (0, 0)
    private var capabilityList = 0..<0
    private var optionList: Int?

    package init() {}

    /// Takes bytes up to the end of the push's beginning; `nil` if that has not arrived yet.
    package mutating func take(_ input: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> Push? {
        while state != .complete, !input.isEmpty {
            // A push without commands must end here: another parser might find commands in what follows.
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

    /// Returns the push of a body without commands, which has just ended.
    package func finish() throws(HTTPRefusal) -> Push {
        guard state == .nothing else { throw .malformed }
        return push
    }

    private var push: Push {
        Push(
            bytes: bytes, commands: commands.compactMap { PushCommand(line: bytes[$0]) }, capabilities: capabilities,
            isSigned: isSigned, options: options.map { bytes[$0] }, firstLine: firstLine, firstLineEnd: firstLineEnd,
            capabilityList: capabilityList, optionList: optionList ?? bytes.count)
    }

    private mutating func startLine() {
        lineStart = bytes.count
        lineEnd = lineStart + 4
    }

    private mutating func readLength() throws(HTTPRefusal) {
        switch PacketLine.length(bytes[lineStart...]) {
        case 0?: try readFlush()
        case let length? where length > 4: lineEnd = lineStart + length
        case 4? where state == .options:
            options.append(lineEnd..<lineEnd)
            startLine()
        default: throw .malformed
        }
    }

    private mutating func readFlush() throws(HTTPRefusal) {
        switch state {
        case .shallow: state = .nothing
        case .commands where capabilities.contains(.pushOptions),
            .certificateEnd where capabilities.contains(.pushOptions):
            state = .options
            optionList = bytes.count
        case .commands, .certificateEnd, .options: state = .complete
        case .certificate, .certificateCommands, .signature, .nothing, .complete: throw .malformed
        }
        startLine()
    }

    /// `line` is without its length.
    private mutating func readLine(_ line: Range<Int>) throws(HTTPRefusal) {
        let text = bytes[line]
        let end = text.last == UInt8(ascii: "\n") ? line.upperBound - 1 : line.upperBound
        switch state {
        case .shallow:
            guard !text.starts(with: "shallow ".utf8) else {
                guard PushCommand.isID(bytes[line.lowerBound + 8..<end]) else { throw .malformed }
                return
            }
            let list = text[..<end].firstIndex(of: 0) ?? end
            if list < end { try readCapabilities(bytes[list + 1..<end]) }
            (firstLine, firstLineEnd, capabilityList) = (lineStart, lineEnd, min(list + 1, end)..<end)
            isSigned = text[..<list].elementsEqual("push-cert".utf8)
            state = isSigned ? .certificate : .commands
            if !isSigned { try addCommand(line.lowerBound..<list) }
        case .commands: try addCommand(line.lowerBound..<end)
        case .options: options.append(line.lowerBound..<end)
        // A packet has one line here; git would read each of several lines as a command.
        case .certificate, .certificateCommands, .signature:
            guard end < line.upperBound, !bytes[line.lowerBound..<end].contains(UInt8(ascii: "\n")) else {
                throw .malformed
            }
            try readCertificate(line.lowerBound..<end)
        case .certificateEnd, .nothing, .complete: throw .malformed
        }
    }

    private mutating func readCertificate(_ line: Range<Int>) throws(HTTPRefusal) {
        let text = bytes[line]
        switch state {
        case .certificate where text.isEmpty: state = .certificateCommands
        case .certificateCommands where text.starts(with: "-----BEGIN ".utf8) && !commands.isEmpty: state = .signature
        case .certificateCommands: try addCommand(line)
        case .signature where text.elementsEqual("push-cert-end".utf8): state = .certificateEnd
        case .certificate where text.elementsEqual("push-cert-end".utf8): throw .malformed
        default: break
        }
    }

    private mutating func addCommand(_ line: Range<Int>) throws(HTTPRefusal) {
        guard PushCommand(line: bytes[line]) != nil else { throw .malformed }
        commands.append(line)
    }

    /// Reads capabilities as whole words, or up to a `=`, as git does.
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
