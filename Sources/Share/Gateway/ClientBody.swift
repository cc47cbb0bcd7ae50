/// The body of a client's request, whose pieces are asked for as they are needed.
final class ClientBody {
    private var reader: BodyReader
    /// Whatever has come, once there is something; nil if nothing comes any more.
    private let read: () -> ArraySlice<UInt8>?
    /// Takes back what belongs to the next request.
    private let putBack: (ArraySlice<UInt8>) -> Void
    /// Has been read from the client, and not been asked for yet.
    private var rest: ArraySlice<UInt8> = []
    /// Taken off its framing, and not handed on yet.
    private var pieces: [ArraySlice<UInt8>] = []
    private var hasEnded = false
    /// It begins like a question for refs, which brings no objects; gitprotocol-v2(5).
    private(set) var isListing = false
    private var hasBegun = false

    init(
        _ framing: BodyFraming, read: @escaping () -> ArraySlice<UInt8>?,
        returning putBack: @escaping (ArraySlice<UInt8>) -> Void
    ) {
        reader = BodyReader(framing)
        self.read = read
        self.putBack = putBack
    }

    /// The next piece; empty at the end, nil if the client has ended before.
    private func next() throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        if !pieces.isEmpty { return pieces.removeFirst() }
        while !hasEnded {
            switch try reader.next(&rest) {
            case .bytes(let bytes):
                if !hasBegun { isListing = bytes.dropFirst(4).starts(with: "command=ls-refs".utf8) }
                hasBegun = true
                return bytes
            case .end:
                hasEnded = true
                putBack(rest)
                rest = []
            case .needsMore:
                guard let more = read() else { return nil }
                rest = more
            }
        }
        return []
    }

    /// Fills the buffer; 0 at the end, nil if the client has ended before.
    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(HTTPRefusal) -> Int? {
        guard let piece = try next() else { return nil }
        let now = piece.prefix(buffer.count)
        buffer.copyBytes(from: now)
        if now.endIndex < piece.endIndex { pieces.insert(piece[now.endIndex...], at: 0) }
        return now.count
    }

    /// The beginning of a push, which is put back for the host; nil if the client has ended before.
    func readPush() throws(HTTPRefusal) -> Push? {
        var reader = PushReader()
        while true {
            guard var piece = try next() else { return nil }
            let push = piece.isEmpty ? try reader.finish() : try reader.take(&piece)
            guard let push else { continue }
            pieces = [push.bytes[...], piece].filter { !$0.isEmpty }
            return push
        }
    }

    /// What is left of it; false if the client ends before.
    func skip() throws(HTTPRefusal) -> Bool {
        while true {
            guard let piece = try next() else { return false }
            if piece.isEmpty { return true }
        }
    }
}
