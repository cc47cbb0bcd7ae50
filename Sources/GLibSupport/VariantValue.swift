internal import CGLib

/// The content of a GVariant, in D-Bus's terms.
package enum VariantValue {
    case byte(UInt8)
    case boolean(Bool)
    case int32(Int32)
    case uint32(UInt32)
    case string(String)
    /// A string given as bytes: valid UTF-8 without NUL; GVariant accepts nothing else.
    case text([UInt8])
    /// `as`.
    case strings([String])
    /// `a{ss}`, with at least one entry; its values as in `text`.
    case texts([(name: String, value: [UInt8])])
    /// `a{sv}`, with at least one entry.
    case properties([(name: String, value: VariantValue)])
    case tuple([VariantValue])

    /// A new GVariant, whose floating reference the caller must sink.
    var floating: OpaquePointer? {
        switch self {
        case .byte(let value): return g_variant_new_byte(value)
        case .boolean(let value): return g_variant_new_boolean(value ? 1 : 0)
        case .int32(let value): return g_variant_new_int32(value)
        case .uint32(let value): return g_variant_new_uint32(value)
        case .string(let value): return g_variant_new_string(value)
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

    /// An array of the given type, or of the first member's type; takes over the members' floating references.
    private static func array(of type: OpaquePointer? = nil, _ members: [OpaquePointer?]) -> OpaquePointer? {
        g_variant_new_array(type, members, gsize(members.count))
    }
}
