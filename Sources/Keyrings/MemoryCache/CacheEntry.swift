internal import CredentialCore

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
