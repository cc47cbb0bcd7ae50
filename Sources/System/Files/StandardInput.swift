internal import CredentialCore
internal import Glibc

/// Standard input, to which git writes its request.
package enum StandardInput {
    /// How long a caller may take to send its request, in milliseconds; git needs less than one.
    ///
    /// Git writes it at once, so a caller that sends it bit by bit must not hold us any longer.
    package static let patience: Int64 = 30_000
    /// More than any request that is accepted; a larger one is rejected without reading all of it.
    private static let mostInput = 1 << 20

    /// Reads the request, up to the first blank line or the end of the input.
    ///
    /// - Parameter milliseconds: how long all of it may take.
    /// - Returns: the bytes; nil if the caller stopped in the middle, or the input cannot be read.
    package static func read(within milliseconds: Int64 = patience) -> [UInt8]? {
        var request: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 8_192)
        defer { buffer.wipe() }
        var patience = Patience(milliseconds: milliseconds)
        while patience.lasts() {
            var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&input, 1, Int32(Patience.interval)) > 0 else { continue }
            let count = buffer.withUnsafeMutableBytes { FileDescriptor.read(STDIN_FILENO, into: $0) }
            if count == 0 { return request }
            // Another process may have been faster, at an input that does not wait.
            if count < 0, errno == EAGAIN { continue }
            guard count > 0 else { break }
            let isComplete = Self.hasBlankLine(buffer[..<count], after: request.last)
            request += buffer[..<count]
            if isComplete || request.count > Self.mostInput { return request }
        }
        request.wipe()
        return nil
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
