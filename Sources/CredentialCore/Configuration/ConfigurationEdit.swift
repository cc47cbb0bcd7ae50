/// What an edit does with a file.
package enum ConfigurationEdit: Equatable {
    /// Leaves it as it is.
    case nothing
    /// Writes these contents.
    case write([UInt8])
    /// Deletes it.
    case delete
}
