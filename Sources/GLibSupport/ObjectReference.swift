package import CGLib

/// Owns a reference to a GObject of any class.
package struct ObjectReference: ~Copyable {
    private let object: UnsafeMutableRawPointer
    package init(taking object: UnsafeMutableRawPointer) { self.object = object }

    deinit { g_object_unref(object) }

    /// The pointer for a class with an opaque structure.
    package var opaque: OpaquePointer { OpaquePointer(object) }

    /// The pointer as another class, of which the object must be an instance.
    package func `as`<Instance>(_: Instance.Type) -> UnsafeMutablePointer<Instance> {
        object.assumingMemoryBound(to: Instance.self)
    }
}

package enum CStrings {
    package static func take(_ list: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) -> [String] {
        guard let list else { return [] }
        defer { g_strfreev(list) }
        var strings: [String] = []
        while let string = list[strings.count] { strings.append(String(cString: string)) }
        return strings
    }

    package static func take(_ string: UnsafeMutablePointer<gchar>?) -> String? {
        guard let string else { return nil }
        defer { g_free(string) }
        return String(cString: string)
    }
}
