package import CredentialCore
internal import System

/// git's own `credential-cache`, for machines without a keyring: it keeps credentials in memory only.
///
/// The cache returns only the credential that changed last, and drops attributes of ours. So all items of a host are
/// one entry, under a protocol that git never asks for: git gets no refresh token, even with the cache as a helper.
package final class MemoryCache: Keyring {
    private let locks: any Locks

    /// The locks prevent simultaneous changes of an entry.
    package init(locks: any Locks) { self.locks = locks }
    package var storage: CredentialStorage { .memory }

    /// Milliseconds to wait for git's program, or for another process that changes the entry.
    private static let patience: Int64 = 5_000

    package func items(having attributes: ItemAttributes) throws(KeyringError) -> [Item] {
        let wanted = attributes.named
        return try entry(of: attributes).items.filter { item in
            let found = item.attributes.named
            return wanted.allSatisfy { wanted in found.contains { $0.name == wanted.name && $0.value == wanted.value } }
        }
    }

    package func unlock(_ items: [Item]) throws(KeyringError) -> [Item] { items }

    package func checkWritable(mayPrompt: Bool) throws(KeyringError) {
        guard run("get", Secret(description(of: ItemAttributes(protocol: [], host: HostName(name: ""))))) != nil else {
            throw .noProvider
        }
    }

    package func replace(_ item: Item, with secret: Secret) throws(KeyringError) -> Bool {
        var isReplaced = false
        try change(item.attributes) { entry in
            guard entry.items.contains(where: { $0.attributes == item.attributes && $0.secret == item.secret }) else {
                return
            }
            entry.put(secret, under: item.attributes)
            isReplaced = true
        }
        return isReplaced
    }

    package func save(_ secret: Secret, under attributes: ItemAttributes) throws(KeyringError) {
        try change(attributes) { $0.put(secret, under: attributes) }
    }

    package func remove(_ item: Item) throws(KeyringError) {
        guard CredentialCacheSocket.exists else { return }
        try change(item.attributes) { $0.remove(item.attributes) }
    }

    private func change(_ attributes: ItemAttributes, _ edit: (inout CacheEntry) -> Void) throws(KeyringError) {
        let host = attributes.hostName ?? HostName(name: "")
        let lock: (any HeldLock)?
        do {
            lock = try locks.acquire(.cacheEntry(of: host), within: Self.patience, whileWaiting: { true })
        } catch .impossible, .failed {
            // Without a lock, at worst one of two accounts that are saved at the same moment is lost.
            lock = nil
        } catch {
            throw .unresponsive(seconds: Int(Self.patience / 1_000))
        }
        defer { lock?.release() }
        // An unreadable entry is not replaced: it may contain other accounts.
        var entry = try entry(of: attributes)
        edit(&entry)
        let isEmpty = entry.items.isEmpty
        var text = Secret.Builder()
        text.append(description(of: attributes))
        if !isEmpty {
            text.append("password=".utf8)
            text.append(entry.encoded)
            text.append(UInt8(ascii: "\n"))
        }
        guard run(isEmpty ? "erase" : "store", text.finish()) != nil else { throw .noProvider }
    }

    private func entry(of attributes: ItemAttributes) throws(KeyringError) -> CacheEntry {
        guard CredentialCacheSocket.exists else { return CacheEntry() }
        guard let answer = run("get", Secret(description(of: attributes))) else { throw .noProvider }
        let name = Array("password=".utf8)
        return answer.reveal { answer in
            let line = answer.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: name) }
            return line.map { CacheEntry(parsing: $0.dropFirst(name.count)) } ?? CacheEntry()
        }
    }

    private func description(of attributes: ItemAttributes) -> [UInt8] {
        let host = attributes.hostName?.text ?? []
        return Array("protocol=gitspace\nhost=".utf8) + host + Array("\nusername=items\n".utf8)
    }

    /// Runs git's program, which starts the cache's daemon if necessary.
    ///
    /// The program hands everything to the process at the socket, so the folder must be closed to others. The daemon
    /// gets a session of its own, or Ctrl-C and the end of a terminal (`ssh -tt`, `docker exec -it`) would end it.
    /// SIGHUP is ignored (git-config(1), `credentialCache.ignoreSIGHUP`), in case all processes of a user get it.
    private func run(_ operation: String, _ input: Secret) -> Secret? {
        guard let folder = CredentialCacheSocket.folder.flatMap({ try? Others().resolved($0, besidesClosed: true) })
        else { return nil }
        return try? ChildProcess.run(
            [
                "git", "-c", "credentialCache.ignoreSIGHUP=true", "credential-cache",
                "--timeout=\(CredentialStorage.secondsInMemory)", "--socket=\(folder)/socket", operation,
            ], input: input, isSessionLeader: true, within: Self.patience)
    }
}

/// All items of a host as one line: attributes and secrets in hexadecimal digits, in the order of their first save.
struct CacheEntry {
    private(set) var items: [Item] = []

    init() {}

    /// Skips items in another format.
    init(parsing line: some Collection<UInt8>) {
        for text in line.split(separator: UInt8(ascii: ";")) {
            let fields = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard let secret = fields.last.flatMap({ Self.secret($0) }) else { continue }
            var named: [(name: String, value: [UInt8])] = []
            for field in fields.dropLast() {
                let parts = field.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
                guard parts.count == 2, let value = Hexadecimal.bytes(parts[1]) else { continue }
                named.append((String(decoding: parts[0], as: UTF8.self), value))
            }
            let attributes = ItemAttributes(named: named)
            // A search could never find an item without attributes.
            guard !attributes.named.isEmpty else { continue }
            append(secret, attributes)
        }
    }

    private static func secret(_ digits: some Sequence<UInt8>) -> Secret? {
        var secret = Secret.Builder()
        let isWhole = Hexadecimal.decode(digits) { secret.append($0) }
        return isWhole ? secret.finish() : nil
    }

    var encoded: Secret {
        var line = Secret.Builder()
        for item in items {
            for (name, value) in item.attributes.named {
                line.append(Array("\(name)=".utf8) + value.flatMap(Hexadecimal.digits) + [0x2c])
            }
            item.secret?.reveal { bytes in
                for byte in bytes { line.append(Hexadecimal.digits(of: byte)) }
            }
            line.append(UInt8(ascii: ";"))
        }
        return line.finish()
    }

    mutating func put(_ secret: Secret, under attributes: ItemAttributes) {
        guard let index = items.firstIndex(where: { $0.attributes == attributes }) else {
            return append(secret, attributes)
        }
        let old = items[index]
        items[index] = Item(
            path: old.path, attributes: attributes, schemaName: old.schemaName, created: old.created, secret: secret,
            storage: .memory)
    }

    mutating func remove(_ attributes: ItemAttributes) { items.removeAll { $0.attributes == attributes } }

    /// Appends an item; its position serves as its time of creation, which decides about the first account.
    private mutating func append(_ secret: Secret, _ attributes: ItemAttributes) {
        let number = UInt64(items.count + 1)
        items.append(
            Item(
                path: "\(number)", attributes: attributes, schemaName: nil, created: number, secret: secret,
                storage: .memory))
    }
}
