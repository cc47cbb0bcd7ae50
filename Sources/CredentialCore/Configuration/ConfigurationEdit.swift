/// What becomes of a file.
package enum ConfigurationEdit: Equatable {
    /// It stays as it is.
    case nothing
    /// It holds this.
    case write([UInt8])
    /// It goes.
    case delete
}
