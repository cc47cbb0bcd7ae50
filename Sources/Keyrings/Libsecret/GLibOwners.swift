internal import CLibsecret
internal import CredentialCore

/// Owns one reference to a GObject of any class.
struct ObjectReference: ~Copyable {
    private let object: UnsafeMutableRawPointer

    /// Takes over a reference that the caller holds.
    init(taking object: UnsafeMutableRawPointer) { self.object = object }

    deinit { g_object_unref(object) }

    /// The object as a class whose structure C keeps to itself.
    var opaque: OpaquePointer { OpaquePointer(object) }

    /// The object as an instance of `Instance`, which the caller knows it to be.
    func `as`<Instance>(_: Instance.Type) -> UnsafeMutablePointer<Instance> {
        object.assumingMemoryBound(to: Instance.self)
    }
}

/// Owns a value in libsecret's locked memory; the bytes are wiped with it.
struct SecretValueReference: ~Copyable {
    let pointer: OpaquePointer

    /// Copies a secret as `text/plain`, the type that git's helper gives it.
    init?(_ secret: borrowing Secret) {
        let value = secret.reveal { bytes in
            secret_value_new(bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count, "text/plain")
        }
        guard let value else { return nil }
        pointer = value
    }

    /// Takes over a reference that the caller holds.
    init(taking pointer: OpaquePointer) { self.pointer = pointer }

    /// The bytes, copied straight into memory of their own.
    func copy() -> Secret {
        var count: gsize = 0
        let bytes = secret_value_get(pointer, &count)
        return Secret(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)))
    }

    deinit { secret_value_unref(UnsafeMutableRawPointer(pointer)) }
}

/// C strings that GLib has allocated, and NULL-terminated lists of them.
enum CStrings {
    /// Reads a list of object paths, and frees it.
    static func take(_ list: UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?) -> [String] {
        guard let list else { return [] }
        defer { g_strfreev(list) }
        var strings: [String] = []
        while let string = list[strings.count] { strings.append(String(cString: string)) }
        return strings
    }

    /// Reads a string, and frees it.
    static func take(_ string: UnsafeMutablePointer<gchar>?) -> String? {
        guard let string else { return nil }
        defer { g_free(string) }
        return String(cString: string)
    }

    /// Lends `strings` as a NULL-terminated list.
    static func withList<Result>(
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
