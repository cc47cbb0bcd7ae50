package import CredentialCore

/// The branches that may be pushed, as a refspec names them (git-push(1)): a name, or one with a `*` that stands for any
/// text, slashes included.
package struct BranchPattern: Equatable, Sendable {
    /// In bytes; the large hosts allow no more in the name of a branch.
    private static let longest = 255

    /// Without `refs/heads/`.
    package let text: String
    private let prefix: [UInt8]
    /// Nil without a `*`: only the prefix itself matches.
    private let suffix: [UInt8]?

    /// Nil unless it can match a branch; other refs than branches are never allowed by a pattern.
    package init?(_ text: String) {
        let isFull = text.utf8.starts(with: RefName.heads)
        let short = Array(isFull ? text.utf8.dropFirst(RefName.heads.count) : text.utf8[...])
        let parts = short.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        guard short.count <= Self.longest, isFull || !short.starts(with: "refs/".utf8), parts.count <= 2,
            RefName.isValid(RefName.heads + Array(parts.joined(separator: [UInt8(ascii: "x")])))
        else { return nil }
        self.text = String(decoding: short, as: UTF8.self)
        prefix = RefName.heads + parts[0]
        suffix = parts.count == 2 ? Array(parts[1]) : nil
    }

    func matches(_ ref: ArraySlice<UInt8>) -> Bool {
        guard RefName.isValid(ref) else { return false }
        guard let suffix else { return ref.elementsEqual(prefix) }
        return ref.count >= prefix.count + suffix.count && ref.starts(with: prefix)
            && ref.suffix(suffix.count).elementsEqual(suffix)
    }

    package var displayName: DisplayText { DisplayText(trusted: text) }
}

/// The rules of git-check-ref-format(1), by their numbers there.
enum RefName {
    static let heads = Array("refs/heads/".utf8)

    static func isValid(_ name: some BidirectionalCollection<UInt8>) -> Bool {
        // 2: one slash at least, 7, and 9, which 2 implies.
        guard name.contains(UInt8(ascii: "/")), name.last != UInt8(ascii: ".") else { return false }
        var before: UInt8 = 0
        for byte in name {
            // 4, 5 and 10.
            guard byte > 0x20, byte != 0x7f, !"~^:?*[\\".utf8.contains(byte) else { return false }
            switch (before, byte) {
            // 3 and 8.
            case (UInt8(ascii: "."), UInt8(ascii: ".")), (UInt8(ascii: "@"), UInt8(ascii: "{")): return false
            default: before = byte
            }
        }
        // 1 and 6.
        return name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { component in
            !component.isEmpty && component.first != UInt8(ascii: ".")
                && !component.suffix(lock.count).elementsEqual(lock)
        }
    }

    private static let lock = Array(".lock".utf8)
}
