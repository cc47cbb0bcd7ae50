internal import Glibc

extension Array where Element == UInt8 {
    /// Overwrites every byte in a way that the optimiser may not leave out, then empties the array.
    package mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
        removeAll()
    }
}
