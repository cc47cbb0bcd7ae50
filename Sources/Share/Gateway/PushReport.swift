internal import CredentialCore

/// The host's report on the refs of a push, read as it goes by (gitprotocol-pack(5), "Report Status").
///
/// Anything else is left to git.
package struct PushReport {
    private var marks: [PushResult.Mark]
    /// The commands of each name; names are compared by all their bytes.
    private let positions: [ArraySlice<UInt8>: [Int]]
    private var wasUnpacked: Bool?
    private var lines = PacketLines()
    /// Within the first band, if there are bands.
    private var reported: PacketLines?

    package init(for push: Push) {
        reported = push.bands.map { _ in PacketLines() }
        marks = push.commands.map { _ in .unknown }
        positions = push.commands.enumerated().reduce(into: [:]) { $0[$1.element.ref, default: []].append($1.offset) }
    }

    /// The result; nil if there was no report.
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
            let inner = line.dropFirst().withUnsafeBytes { reported?.take($0) } ?? []
            inner.forEach { read($0) }
        }
    }

    /// `unpack SP result`, then `ok SP ref` or `ng SP ref SP reason`.
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

/// The payloads of pkt-lines that come in pieces.
struct PacketLines {
    private var line: [UInt8] = []
    /// What has come is none.
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
