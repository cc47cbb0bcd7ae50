internal import Glibc

/// Replaces the memory calls for secrets, four system calls each, by a free list: simulated secrets are not secret.
///
/// The caller wipes a page before it returns it.
private enum SecretPages { nonisolated(unsafe) static var free: [UnsafeMutableRawPointer] = [] }

@_cdecl("mmap")
func withoutMapping(
    _: UnsafeMutableRawPointer?, _ byteCount: Int, _: Int32, _: Int32, _ file: Int32, _: Int
) -> UnsafeMutableRawPointer? {
    precondition(file == -1, "only secrets are mapped here")
    guard byteCount == 4_096, let page = SecretPages.free.popLast() else {
        return .allocate(byteCount: byteCount, alignment: 4_096)
    }
    return page
}

@_cdecl("munmap")
func withoutUnmapping(_ pages: UnsafeMutableRawPointer, _ byteCount: Int) -> Int32 {
    if byteCount == 4_096 { SecretPages.free.append(pages) } else { pages.deallocate() }
    return 0
}

@_cdecl("madvise")
func withoutAdvising(_: UnsafeMutableRawPointer?, _: Int, _: Int32) -> Int32 { 0 }

@_cdecl("mlock")
func withoutLocking(_: UnsafeRawPointer?, _: Int) -> Int32 { 0 }
