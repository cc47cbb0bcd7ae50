internal import CLibsecret
internal import CredentialCore
internal import GLibSupport

/// Attributes as libsecret takes them for a search: C strings by name.
struct AttributeTable: ~Copyable {
    let pointer: OpaquePointer?

    /// Copies the attributes that have a value.
    ///
    /// - Parameter attributes: only those that D-Bus can carry (`ItemAttributes.isExpressible`).
    init(_ attributes: [(name: String, value: [UInt8])]) {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
        for (name, value) in attributes {
            let copy = (value + [0]).withUnsafeBytes { g_strdup($0.assumingMemoryBound(to: CChar.self).baseAddress) }
            g_hash_table_insert(pointer, g_strdup(name), copy)
        }
    }

    deinit { g_hash_table_unref(pointer) }
}

/// Properties as libsecret takes them for a new object: values by their full names.
struct PropertyTable: ~Copyable {
    let pointer: OpaquePointer?

    init() {
        pointer = g_hash_table_new_full(g_str_hash, g_str_equal, g_free) { g_variant_unref(OpaquePointer($0)) }
    }

    deinit { g_hash_table_unref(pointer) }

    func set(_ name: String, to value: borrowing Variant) {
        g_hash_table_insert(pointer, g_strdup(name), UnsafeMutableRawPointer(g_variant_ref(value.pointer)))
    }
}

extension ItemAttributes {
    /// Whether D-Bus can carry every value: its strings are UTF-8 without NUL.
    var isExpressible: Bool {
        named.allSatisfy { _, value in !value.contains(0) && String(validating: value, as: UTF8.self) != nil }
    }
}
