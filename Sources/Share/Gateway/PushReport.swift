package import CredentialCore

/// The refs of a push that the host has refused, read as its report goes by (gitprotocol-pack(5), "Report Status").
///
/// What is not such a report, or too long for one, refuses nothing: it is for git to understand.
package struct PushReport {
    /// Of refs without `refs/heads/`, as far as they are branches.
    package private(set) var refused: [DisplayText] = []
    private var lines = PacketLines()
    /// Within the first band, if there are bands.
    private var reported: PacketLines?

    package init(for push: Push) {
        let isBanded = !push.capabilities.isDisjoint(with: [.sideBand, .sideBand64k])
        reported = isBanded ? PacketLines() : nil
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

    /// `ng SP ref SP reason`.
    private mutating func read(_ line: [UInt8]) {
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count > 1, words[0].elementsEqual("ng".utf8), refused.count < GatewayMessage.mostRefs else {
            return
        }
        refused.append(PushCommand.displayName(of: words[1]))
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
