internal import CredentialCore

/// What user_namespaces(7) makes of owners: in a container, a user of the machine around it may have no number.
package enum UserNamespace {
    /// Whether that is the number which stands for all users without one here.
    ///
    /// Outside of any namespace everybody has a number of their own, and that one is somebody's: `nobody`.
    package static func isUnmapped(_ user: UInt32) -> Bool {
        guard let overflow = FileReader.beginning(of: "/proc/sys/kernel/overflowuid", atMost: 16),
            DecimalNumber.parse(overflow.prefix { $0 != UInt8(ascii: "\n") }) == Int64(user),
            let map = FileReader.beginning(of: "/proc/self/uid_map", atMost: 256)
        else { return false }
        // The first line of the machine's own map: from 0, to 0, all of them.
        return !map.dropLast().suffix(everybody.count).elementsEqual(everybody)
    }

    private static let everybody = Array(" 4294967295".utf8)
}
