internal import CredentialCore
internal import Glibc

/// Standard input, to which git writes its request.
package enum StandardInput {
    /// How long a caller may take to send its request, in milliseconds; git needs less than one.
    private static let patience: Int32 = 30_000
    /// More than any request that is accepted; a larger one is rejected without reading all of it.
    private static let mostInput = 1 << 20

    /// Reads the request, up to the first blank line or the end of the input.
    ///
    /// - Returns: the bytes; nil if the caller stopped in the middle.
    package static func read() -> [UInt8]? {
        var request: [UInt8] = []
        var isComplete = false
        var buffer = [UInt8](repeating: 0, count: 8_192)
        defer { buffer.wipe() }
        while request.count <= Self.mostInput, !isComplete {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let ready = poll(&input, 1, Self.patience)
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return nil }
            let count = buffer.withUnsafeMutableBytes { FileDescriptor.read(STDIN_FILENO, into: $0) }
            guard count > 0 else { break }
            isComplete = Self.hasBlankLine(buffer[..<count], after: request.last)
            request += buffer[..<count]
        }
        return request
    }

    /// Whether a piece of the request contains a blank line.
    ///
    /// Searching everything after each piece would take quadratic time for a large input.
    ///
    /// - Parameters:
    ///   - piece: what was just read.
    ///   - before: the byte before it; nil at the start, where a line end is a blank line.
    /// - Returns: whether a line end follows another one, or stands at the start.
    private static func hasBlankLine(_ piece: ArraySlice<UInt8>, after before: UInt8?) -> Bool {
        let lineEnd = UInt8(ascii: "\n")
        var previous = before ?? lineEnd
        for byte in piece {
            if byte == lineEnd, previous == lineEnd { return true }
            previous = byte
        }
        return false
    }
}
