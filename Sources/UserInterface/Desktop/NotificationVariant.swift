internal import CGio

/// Owns one reference to a GVariant: a value as D-Bus carries it, checked by GDBus to be well-formed.
struct NotificationVariant: ~Copyable {
    let pointer: OpaquePointer

    /// Takes over a reference that the caller holds.
    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    deinit { g_variant_unref(pointer) }

    /// The value's type in D-Bus notation.
    private var type: String { g_variant_get_type_string(pointer).map { String(cString: $0) } ?? "" }

    /// A member of a tuple or list; nil if there is none.
    func member(_ index: Int) -> NotificationVariant? {
        guard g_variant_is_container(pointer) != 0, index < g_variant_n_children(pointer) else { return nil }
        return g_variant_get_child_value(pointer, gsize(index)).map { NotificationVariant(taking: $0) }
    }

    /// The value of an unsigned number of 32 bits.
    var number: UInt32? { type == "u" ? g_variant_get_uint32(pointer) : nil }

    /// The value of a string.
    var text: String? { type == "s" ? g_variant_get_string(pointer, nil).map { String(cString: $0) } : nil }

    /// The members of a list of strings; nil for a value of another type.
    var texts: [String]? {
        guard type == "as" else { return nil }
        return (0..<Int(g_variant_n_children(pointer))).compactMap { member($0)?.text }
    }
}
