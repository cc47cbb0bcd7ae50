internal import CGLib

/// A value of D-Bus.
package struct Variant: ~Copyable {
    /// The pointer for GLib calls, which must not outlive this value.
    package let pointer: OpaquePointer

    package init(taking pointer: OpaquePointer) { self.pointer = pointer }
    package init(_ value: VariantValue) { pointer = g_variant_ref_sink(value.floating) }

    deinit { g_variant_unref(pointer) }

    private var type: String { g_variant_get_type_string(pointer).map { String(cString: $0) } ?? "" }

    /// The only member of a tuple, or `nil` for a value of another type.
    package func onlyMember(ofTuple type: String) -> Variant? {
        guard self.type == type else { return nil }
        return g_variant_get_child_value(pointer, 0).map { Variant(taking: $0) }
    }

    package func member(_ index: Int) -> Variant? {
        guard g_variant_is_container(pointer) != 0, index < g_variant_n_children(pointer) else { return nil }
        return g_variant_get_child_value(pointer, gsize(index)).map { Variant(taking: $0) }
    }

    /// A value of a dictionary `a{sv}`.
    package subscript(key: String) -> Variant? {
        guard type == "a{sv}" else { return nil }
        return g_variant_lookup_value(pointer, key, nil).map { Variant(taking: $0) }
    }

    package var boolean: Bool? { type == "b" ? g_variant_get_boolean(pointer) != 0 : nil }
    package var uint32: UInt32? { type == "u" ? g_variant_get_uint32(pointer) : nil }
    package var uint64: UInt64? { type == "t" ? UInt64(g_variant_get_uint64(pointer)) : nil }
    package var string: String? { type == "s" ? g_variant_get_string(pointer, nil).map { String(cString: $0) } : nil }

    package var objectPath: String? {
        type == "o" ? g_variant_get_string(pointer, nil).map { String(cString: $0) } : nil
    }

    package var strings: [String]? { texts(ofType: "as") }
    package var objectPaths: [String]? { texts(ofType: "ao") }

    private func texts(ofType type: String) -> [String]? {
        guard self.type == type else { return nil }
        return (0..<g_variant_n_children(pointer)).compactMap { index in
            bytes(ofMember: index).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    package var dictionary: [(name: String, value: [UInt8])]? {
        guard type == "a{ss}" else { return nil }
        return (0..<g_variant_n_children(pointer)).compactMap { index in
            guard let entry = g_variant_get_child_value(pointer, index).map({ Variant(taking: $0) }),
                let name = entry.bytes(ofMember: 0), let value = entry.bytes(ofMember: 1)
            else { return nil }
            return (String(decoding: name, as: UTF8.self), value)
        }
    }

    /// The bytes of a string or object path.
    private func bytes(ofMember index: gsize) -> [UInt8]? {
        guard let member = g_variant_get_child_value(pointer, index).map({ Variant(taking: $0) }) else { return nil }
        var count: gsize = 0
        guard let text = g_variant_get_string(member.pointer, &count) else { return nil }
        return Array(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
}

package enum VariantValue {
    case byte(UInt8)
    case boolean(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case string(String)
    case objectPath(String)
    /// A string's bytes, which must be UTF-8 without NUL.
    case text([UInt8])
    /// A list of strings, `as`.
    case strings([String])
    /// A dictionary `a{ss}` with at least one entry, and values like those of `text`.
    case texts([(name: String, value: [UInt8])])
    /// A dictionary `a{sv}` with at least one entry.
    case properties([(name: String, value: VariantValue)])
    case tuple([VariantValue])

    /// The value as a floating reference, which the caller must sink.
    var floating: OpaquePointer? {
        switch self {
        case .byte(let value): return g_variant_new_byte(value)
        case .boolean(let value): return g_variant_new_boolean(value ? 1 : 0)
        case .int32(let value): return g_variant_new_int32(value)
        case .uint32(let value): return g_variant_new_uint32(value)
        case .string(let value): return g_variant_new_string(value)
        case .objectPath(let value): return g_variant_new_object_path(value)
        case .text(let bytes):
            return (bytes + [0]).withUnsafeBytes {
                g_variant_new_string($0.assumingMemoryBound(to: CChar.self).baseAddress)
            }
        case .strings(let values):
            let type = g_variant_type_new("s")
            defer { g_variant_type_free(type) }
            return Self.array(of: type, values.map { VariantValue.string($0).floating })
        case .texts(let entries):
            return Self.array(entries.map { Self.entry($0.name, VariantValue.text($0.value).floating) })
        case .properties(let entries):
            return Self.array(entries.map { Self.entry($0.name, g_variant_new_variant($0.value.floating)) })
        case .tuple(let values):
            let members = values.map(\.floating)
            return g_variant_new_tuple(members, gsize(members.count))
        }
    }

    private static func entry(_ name: String, _ value: OpaquePointer?) -> OpaquePointer? {
        g_variant_new_dict_entry(g_variant_new_string(name), value)
    }

    /// An array of the given type, or of its first member's type; takes over the members' floating references.
    private static func array(of type: OpaquePointer? = nil, _ members: [OpaquePointer?]) -> OpaquePointer? {
        g_variant_new_array(type, members, gsize(members.count))
    }
}
