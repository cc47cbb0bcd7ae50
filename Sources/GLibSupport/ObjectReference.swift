package import CGLib

/// A GObject of any class.
package struct ObjectReference: ~Copyable {
    private let object: UnsafeMutableRawPointer

    package init(taking object: UnsafeMutableRawPointer) { self.object = object }

    deinit { g_object_unref(object) }

    /// For a class whose structure C does not reveal.
    package var opaque: OpaquePointer { OpaquePointer(object) }

    /// The caller knows the object to be one.
    package func `as`<Instance>(_: Instance.Type) -> UnsafeMutablePointer<Instance> {
        object.assumingMemoryBound(to: Instance.self)
    }
}

/// GLib has allocated them.
package enum CStrings {
    /// Frees the list, which is of object paths.
    package static func take(_ list: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) -> [String] {
        guard let list else { return [] }
        defer { g_strfreev(list) }
        var strings: [String] = []
        while let string = list[strings.count] { strings.append(String(cString: string)) }
        return strings
    }

    /// Frees the string.
    package static func take(_ string: UnsafeMutablePointer<gchar>?) -> String? {
        guard let string else { return nil }
        defer { g_free(string) }
        return String(cString: string)
    }

    /// NULL-terminated.
    package static func withList<Result>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafePointer<gchar>?>) -> Result
    ) -> Result {
        let list = UnsafeMutablePointer<UnsafePointer<gchar>?>.allocate(capacity: strings.count + 1)
        for (index, string) in strings.enumerated() {
            (list + index).initialize(to: UnsafePointer(g_strdup(string)))
        }
        (list + strings.count).initialize(to: nil)
        defer {
            for index in strings.indices { g_free(UnsafeMutableRawPointer(mutating: list[index])) }
            list.deallocate()
        }
        return body(list)
    }
}
