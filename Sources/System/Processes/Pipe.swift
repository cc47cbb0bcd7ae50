internal import CProcess

/// The two ends of a pipe, neither of which a child inherits by accident: pipe2(2).
struct Pipe: ~Copyable {
    let reader: FileDescriptor
    let writer: FileDescriptor

    init?() {
        var ends: [Int32] = [-1, -1]
        guard gitspace_pipe(&ends) == 0, let reader = FileDescriptor(ends[0]), let writer = FileDescriptor(ends[1])
        else { return nil }
        self.reader = reader
        self.writer = writer
    }
}
