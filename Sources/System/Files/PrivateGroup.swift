internal import CredentialCore
internal import Glibc

/// A group that is one person's alone: useradd(8) makes one for each, of the same name (`USERGROUPS_ENAB` in
/// login.defs(5)), and the person's umask then lets it write.
package enum PrivateGroup {
    /// Whether it is the user's first group, has the user's name, and has no other member.
    ///
    /// Two files decide that, passwd(5) and group(5). A directory service is not asked: it may not tell who is in a group.
    /// So a user who is not in the file has no such group; nor has root, whose group servers keep that have given up
    /// being root.
    package static func isPrivate(_ group: UInt32, of user: UInt32, in folder: String = "/etc") -> Bool {
        let members = entries(folder + "/passwd").filter { number($0, 3) == group }
        let names = members.map { $0[0] }
        let groups = entries(folder + "/group").filter { number($0, 2) == group }
        guard user != 0, !members.isEmpty, members.allSatisfy({ number($0, 2) == user }), !groups.isEmpty else {
            return false
        }
        return groups.allSatisfy { group in
            names.contains(group[0])
                && group[3].split(separator: UInt8(ascii: ",")).allSatisfy { names.contains($0) }
        }
    }

    /// Of lines with four fields or more.
    private static func entries(_ path: String) -> [[ArraySlice<UInt8>]] {
        guard let text = try? FileReader.contents(of: path, atMost: 16 << 20) else { return [] }
        return text.split(separator: UInt8(ascii: "\n"))
            .map { $0.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false) }
            .filter { $0.count >= 4 }
    }

    private static func number(_ entry: [ArraySlice<UInt8>], _ field: Int) -> UInt32? {
        DecimalNumber.parse(entry[field]).flatMap { UInt32(exactly: $0) }
    }
}
