internal import CredentialCore

/// The host's report on the refs of a push.
package struct PushResult: Equatable, Sendable {
    package enum Mark: String, Sendable {
        case accepted = "+"
        case rejected = "-"
        /// The report does not name the ref.
        case unknown = "?"
    }

    /// One mark for each ref that the intention names, in the same order.
    package let marks: [Mark]
    /// The number of further refs with each mark.
    package let others: [Mark: Int]

    package init(_ marks: [Mark]) {
        self.init(
            Array(marks.prefix(GatewayIntention.mostRefs)),
            others: marks.dropFirst(GatewayIntention.mostRefs).reduce(into: [:]) { $0[$1, default: 0] += 1 })
    }

    fileprivate init(_ marks: [Mark], others: [Mark: Int]) {
        self.marks = marks
        self.others = others
    }

    init?(parsing words: ArraySlice<String>) {
        guard let listed = words.first, listed.first == "=" else { return nil }
        let marks = listed.dropFirst().compactMap { Mark(rawValue: String($0)) }
        guard marks.count == listed.count - 1, marks.count <= GatewayIntention.mostRefs else { return nil }
        var others: [Mark: Int] = [:]
        for word in words.dropFirst() {
            guard let mark = word.first.flatMap({ Mark(rawValue: String($0)) }), others[mark] == nil,
                let count = DecimalNumber.parse(word.utf8.dropFirst()), count > 0
            else { return nil }
            others[mark] = Int(count)
        }
        self.init(marks, others: others)
    }
}

extension GatewayIntention {
    /// The refs with a mark that `isIncluded` chooses, and the number of further refs with it; `nil` if there are none.
    func refs(
        _ mark: PushResult.Mark, in result: PushResult, where isIncluded: (PushCommand) -> Bool = { _ in true }
    ) -> DisplayText? {
        let names = zip(commands, result.marks).filter { $0.1 == mark && isIncluded($0.0) }.map(\.0.displayName)
        let others = result.others[mark, default: 0]
        guard !names.isEmpty || others > 0 else { return nil }
        let shown = names.joined(separator: ", ")
        return others == 0 ? shown : "\(shown) (+\(others))"
    }
}

/// Reads the host's report on the refs of a push as it passes (gitprotocol-pack(5), "Report Status").
package struct PushReport {
    private var marks: [PushResult.Mark]
    private let positions: [ArraySlice<UInt8>: [Int]]
    private var wasUnpacked: Bool?
    private var lines = PacketLines()
    /// The report's lines within the first band, if there are bands.
    private var reported: PacketLines?

    package init(for push: Push) {
        reported = push.bands.map { _ in PacketLines() }
        marks = push.commands.map { _ in .unknown }
        positions = push.commands.enumerated().reduce(into: [:]) { $0[$1.element.ref, default: []].append($1.offset) }
    }

    package var result: PushResult? {
        switch wasUnpacked {
        case nil: nil
        case true?: PushResult(marks)
        case false?: PushResult(marks.map { _ in .rejected })
        }
    }

    package mutating func take(_ bytes: UnsafeRawBufferPointer) {
        for line in lines.take(bytes) {
            guard reported != nil else {
                read(line)
                continue
            }
            guard line.first == SideBand.Band.data.rawValue else { continue }
            for inner in line.dropFirst().withUnsafeBytes({ reported?.take($0) }) ?? [] { read(inner) }
        }
    }

    /// Reads `unpack SP result`, then `ok SP ref` or `ng SP ref SP reason`.
    private mutating func read(_ line: [UInt8]) {
        let line = line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...]
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1 else { return }
        switch String(decoding: words[0], as: UTF8.self) {
        case "unpack": if wasUnpacked == nil { wasUnpacked = words[1].elementsEqual("ok".utf8) }
        case "ok": for position in positions[words[1]] ?? [] { marks[position] = .accepted }
        case "ng": for position in positions[words[1]] ?? [] { marks[position] = .rejected }
        default: break
        }
    }
}

/// The payloads of pkt-lines that arrive in pieces.
struct PacketLines {
    private var line: [UInt8] = []
    private var isBroken = false

    mutating func take(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var rest = bytes[...]
        while !isBroken, !rest.isEmpty {
            let missing = line.count < 4 ? 4 - line.count : (PacketLine.length(line[..<4]) ?? 0) - line.count
            let piece = rest.prefix(missing)
            line += piece
            rest = rest.dropFirst(piece.count)
            guard line.count >= 4 else { break }
            guard let length = PacketLine.length(line[..<4]), length == 0 || length >= 4 else {
                isBroken = true
                break
            }
            guard line.count >= length else { continue }
            if length > 4 { lines.append(Array(line[4...])) }
            line.removeAll(keepingCapacity: true)
        }
        return lines
    }
}

/// The answer to a push that the gateway refuses, in the form of git's report (gitprotocol-pack(5), "Report Status").
package struct PushRefusal {
    package let reason: HTTPRefusal
    /// The commands that may not be pushed; none of the others is pushed either.
    package let commands: [PushCommand]
    private let push: Push

    /// Returns `nil` if no command is refused.
    init?(of push: Push, _ reason: HTTPRefusal, _ isRefused: (ArraySlice<UInt8>) -> Bool) {
        commands = push.commands.filter { isRefused($0.ref) }
        guard !commands.isEmpty else { return nil }
        self.reason = reason
        self.push = push
    }

    /// The answer; a client that reads no report would take any 200 for a success.
    package var response: GatewayResponse {
        guard push.capabilities.contains(.reportStatus) else { return GatewayResponse(reason) }
        return GatewayResponse(
            status: 200,
            fields: [("Content-Type", "application/x-git-receive-pack-result"), ("Cache-Control", "no-cache")],
            body: body)
    }

    private var body: [UInt8] {
        guard let bands = push.bands else { return report }
        return bands.packets(.progress, Array("\(reason.sentence)\n".utf8)) + bands.packets(.data, report)
            + PacketLine.flush
    }

    private var report: [UInt8] {
        var bytes = PacketLine.packet("unpack ok\n".utf8)
        let refused = Array(" \(reason.sentence)\n".utf8)
        let others = Array(" not pushed, because another ref was refused\n".utf8)
        var rest = commands[...]
        for command in push.commands {
            let isRefused = rest.first == command
            if isRefused { rest.removeFirst() }
            var line = Array("ng ".utf8)
            line += command.ref
            line += isRefused ? refused : others
            bytes += PacketLine.packet(line)
        }
        return bytes + PacketLine.flush
    }
}

/// A pkt-line: four hexadecimal digits with the length, themselves included, and the payload (gitprotocol-common(5)).
enum PacketLine {
    /// The most bytes of a pkt-line with its length.
    static let longest = 65_520

    static let flush = Array("0000".utf8)

    /// Returns `nil` if the bytes are no length; 0 is a flush, and 1 to 3 have a meaning only in protocol version 2.
    static func length(_ digits: ArraySlice<UInt8>) -> Int? {
        var length = 0
        for byte in digits {
            guard let digit = Hexadecimal.number(byte) else { return nil }
            length = length << 4 | Int(digit)
        }
        return length <= longest ? length : nil
    }

    /// The pkt-line of a payload, which must fit.
    static func packet(_ payload: some Collection<UInt8>) -> [UInt8] {
        let digits = String(payload.count + 4, radix: 16)
        return Array(repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count)) + digits.utf8 + payload
    }
}

/// Several streams in one: pkt-lines that begin with the number of their stream (gitprotocol-pack(5), "Packfile Data").
struct SideBand {
    enum Band: UInt8 {
        case data = 1
        /// Messages for the person.
        case progress = 2
    }

    /// The most bytes of a pkt-line with its length.
    let longest: Int

    func packets(_ band: Band, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = payload[...]
        while !rest.isEmpty {
            // git's own `send_sideband` counts the length and the band's number, too.
            let piece = rest.prefix(longest - 5)
            rest = rest[piece.endIndex...]
            bytes += PacketLine.packet([band.rawValue] + piece)
        }
        return bytes
    }
}
