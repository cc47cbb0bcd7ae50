internal import CLibsecret

/// Owns one reference to a GVariant: a value as D-Bus carries it, checked by GDBus to be well-formed.
struct Variant: ~Copyable {
    let pointer: OpaquePointer

    /// Takes over a reference that the caller holds.
    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    /// A string.
    ///
    /// - Parameter text: valid UTF-8 without NUL; GVariant takes nothing else.
    init(string text: [UInt8]) {
        pointer = (text + [0]).withUnsafeBytes { bytes in
            g_variant_ref_sink(g_variant_new_string(bytes.assumingMemoryBound(to: CChar.self).baseAddress))
        }
    }

    /// A tuple of strings.
    init(tuple strings: [String]) {
        var members = strings.map { g_variant_new_string($0) }
        pointer = g_variant_ref_sink(g_variant_new_tuple(&members, gsize(members.count)))
    }

    /// A dictionary of strings, `a{ss}`, with at least one entry.
    init(dictionary entries: [(name: String, value: [UInt8])]) {
        var members = entries.map { name, value in
            (value + [0]).withUnsafeBytes { bytes in
                g_variant_new_dict_entry(
                    g_variant_new_string(name),
                    g_variant_new_string(bytes.assumingMemoryBound(to: CChar.self).baseAddress))
            }
        }
        pointer = g_variant_ref_sink(g_variant_new_array(nil, &members, gsize(members.count)))
    }

    deinit { g_variant_unref(pointer) }

    /// The value's type in D-Bus notation.
    private var type: String { g_variant_get_type_string(pointer).map { String(cString: $0) } ?? "" }

    /// The only member of a tuple of the given type; nil for a value of another type.
    func onlyMember(ofTuple type: String) -> Variant? {
        guard self.type == type else { return nil }
        return g_variant_get_child_value(pointer, 0).map { Variant(taking: $0) }
    }

    /// What a dictionary `a{sv}` has under `key`; nil if nothing is there.
    subscript(key: String) -> Variant? {
        guard type == "a{sv}" else { return nil }
        return g_variant_lookup_value(pointer, key, nil).map { Variant(taking: $0) }
    }

    /// The value of a boolean.
    var boolean: Bool? { type == "b" ? g_variant_get_boolean(pointer) != 0 : nil }

    /// The value of an unsigned number of 32 bits.
    var uint32: UInt32? { type == "u" ? g_variant_get_uint32(pointer) : nil }

    /// The value of an unsigned number of 64 bits.
    var uint64: UInt64? { type == "t" ? UInt64(g_variant_get_uint64(pointer)) : nil }

    /// The entries of a dictionary of strings; nil for a value of another type.
    var dictionary: [(name: String, value: [UInt8])]? {
        guard type == "a{ss}" else { return nil }
        return (0..<g_variant_n_children(pointer)).compactMap { index in
            guard let entry = g_variant_get_child_value(pointer, index).map({ Variant(taking: $0) }),
                let name = entry.bytes(ofMember: 0), let value = entry.bytes(ofMember: 1)
            else { return nil }
            return (String(decoding: name, as: UTF8.self), value)
        }
    }

    /// The members of a list of object paths; nil for a value of another type.
    var objectPaths: [String]? {
        guard type == "ao" else { return nil }
        return (0..<g_variant_n_children(pointer)).compactMap { index in
            bytes(ofMember: index).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// The text of a member that is a string or object path.
    private func bytes(ofMember index: gsize) -> [UInt8]? {
        guard let member = g_variant_get_child_value(pointer, index).map({ Variant(taking: $0) }) else { return nil }
        var count: gsize = 0
        guard let text = g_variant_get_string(member.pointer, &count) else { return nil }
        return Array(UnsafeRawBufferPointer(start: text, count: Int(count)))
    }
}
