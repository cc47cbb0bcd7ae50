internal import CLibsecret
internal import CredentialCore

/// Owns a value in libsecret's locked memory; releasing the last reference wipes the bytes.
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

    /// The bytes, copied directly into a `Secret`.
    func copy() -> Secret {
        var count: gsize = 0
        let bytes = secret_value_get(pointer, &count)
        return Secret(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(count)))
    }

    deinit { secret_value_unref(UnsafeMutableRawPointer(pointer)) }
}
