internal import CGLib

/// Owns one reference to a GObject of any class.
package struct ObjectReference: ~Copyable {
    private let object: UnsafeMutableRawPointer

    /// Takes over a reference that the caller holds.
    package init(taking object: UnsafeMutableRawPointer) { self.object = object }

    deinit { g_object_unref(object) }

    /// The object, for a class whose structure C does not reveal.
    package var opaque: OpaquePointer { OpaquePointer(object) }

    /// The object as an instance of `Instance`, which the caller knows it to be.
    package func `as`<Instance>(_: Instance.Type) -> UnsafeMutablePointer<Instance> {
        object.assumingMemoryBound(to: Instance.self)
    }
}
