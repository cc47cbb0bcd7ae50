internal import CredentialCore

/// All items of a host as one line: the attributes and the secret of each, in hexadecimal digits, in the order in which
/// they were first saved.
struct CacheEntry {
    private(set) var items: [Item] = []

    init() {}

    /// Skips what is not in this format.
    init(parsing line: ArraySlice<UInt8>) {
        for text in line.split(separator: UInt8(ascii: ";")) {
            let fields = text.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
            guard let secret = fields.last.flatMap({ Self.bytes($0) }) else { continue }
            var named: [(name: String, value: [UInt8])] = []
            for field in fields.dropLast() {
                let parts = field.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
                guard parts.count == 2, let value = Self.bytes(parts[1]) else { continue }
                named.append((String(decoding: parts[0], as: UTF8.self), value))
            }
            let attributes = ItemAttributes(named: named)
            // What nobody could ask for is no item.
            guard !attributes.named.isEmpty else { continue }
            append(Secret(secret), attributes)
        }
    }

    /// Only a client of the cache's daemon sees it.
    var encoded: Secret {
        var line: [UInt8] = []
        defer { line.wipe() }
        for item in items {
            for (name, value) in item.attributes.named { line += Array("\(name)=".utf8) + Self.digits(value) + [0x2c] }
            item.secret?.reveal { line += Self.digits($0) }
            line.append(UInt8(ascii: ";"))
        }
        return Secret(line)
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

    /// The position in the line serves as the time of creation: nothing else records which account was first.
    private mutating func append(_ secret: Secret, _ attributes: ItemAttributes) {
        let number = UInt64(items.count + 1)
        items.append(
            Item(
                path: "\(number)", attributes: attributes, schemaName: nil, created: number, secret: secret,
                storage: .memory))
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init) else { return nil }
            if let half = high {
                bytes.append(half << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }
}
