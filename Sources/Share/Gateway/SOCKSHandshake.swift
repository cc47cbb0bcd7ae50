internal import CredentialCore

/// The two messages with which libcurl opens a connection through a SOCKS proxy (RFC 1928, 3 and 4).
///
/// There is one place to go: `gitspace.invalid`, port 80, without authentication.
package struct SOCKSHandshake {
    package enum Step: Equatable {
        case needsMore
        /// To be sent; the CONNECT request follows.
        case chosen(reply: [UInt8])
        /// To be sent; HTTP follows.
        case connected(reply: [UInt8])
        /// To be sent before the connection is closed; empty for what is not SOCKS 5.
        case refused(reply: [UInt8])
    }

    /// RFC 1928, 6.
    private enum Reply: UInt8 {
        case succeeded = 0
        case generalFailure = 1
        case notAllowed = 2
        case commandNotSupported = 7
        case addressTypeNotSupported = 8

        var bytes: [UInt8] { [5, rawValue, 0, 1, 0, 0, 0, 0, 0, 0] }
    }

    /// The name in the rewritten URLs: no resolver knows it (RFC 6761, 6.4).
    package static let host = "gitspace.invalid"

    private var hasChosen = false
    /// Of the message that is being read: at most 262.
    private var received: [UInt8] = []

    package init() {}

    /// Takes bytes up to the end of a message; to be called again after `chosen`.
    package mutating func take(_ input: inout ArraySlice<UInt8>) -> Step {
        while let byte = input.popFirst() {
            received.append(byte)
            guard let step = hasChosen ? connecting : choosing else { continue }
            if case .chosen = step { hasChosen = true }
            received.removeAll(keepingCapacity: true)
            return step
        }
        return .needsMore
    }

    /// Version, the number of methods, the methods; nil if it is not complete.
    private var choosing: Step? {
        guard received[0] == 5 else { return .refused(reply: []) }
        guard received.count >= 2, received.count == 2 + Int(received[1]) else { return nil }
        return received[2...].contains(0) ? .chosen(reply: [5, 0]) : .refused(reply: [5, 0xff])
    }

    /// Version, command, a zero, the type of the address, the length of the name, the name, the port.
    private var connecting: Step? {
        func refused(_ reply: Reply) -> Step { .refused(reply: reply.bytes) }
        switch received.count {
        case 1: return received[0] == 5 ? nil : refused(.generalFailure)
        case 2: return received[1] == 1 ? nil : refused(.commandNotSupported)
        case 3: return received[2] == 0 ? nil : refused(.generalFailure)
        case 4: return received[3] == 3 ? nil : refused(.addressTypeNotSupported)
        default:
            let nameEnd = 5 + Int(received[4])
            guard received.count == nameEnd + 2 else { return nil }
            guard ASCII.equalsIgnoringCase(received[5..<nameEnd], Self.host), received[nameEnd...] == [0, 80] else {
                return refused(.notAllowed)
            }
            return .connected(reply: Reply.succeeded.bytes)
        }
    }
}
