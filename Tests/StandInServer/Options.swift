/// The command line of `stand-in`.
struct Options {
    static let usage = """
        usage: stand-in [--interval SECONDS]
          --interval SECONDS  between two polls (default 5)

        """

    private(set) var interval = 5.0

    /// Parses the arguments without the program's name; `nil` if they are invalid.
    init?(_ arguments: [String]) {
        if arguments.isEmpty { return }
        guard arguments.count == 2, arguments[0] == "--interval", let interval = Double(arguments[1]) else {
            return nil
        }
        self.interval = interval
    }
}
