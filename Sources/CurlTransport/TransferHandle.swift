internal import CLibcurl
internal import OAuth

/// libcurl's two handles for one host, and the buffer for its error messages.
///
/// They keep the connection, and with it the TLS session, from one request to the next. The transfer runs through a
/// multi handle, because an easy handle alone cannot be interrupted in time: it calls its progress callback once a
/// second while nothing happens, and not at all while it looks up a name.
struct TransferHandle: ~Copyable {
    /// The handle that takes the options of a request.
    let easy: UnsafeMutableRawPointer
    private let multi: UnsafeMutableRawPointer
    private let words: UnsafeMutablePointer<CChar>

    /// How long a wait lasts before the next check for Ctrl-C, in milliseconds.
    private static let attention: Int32 = 50

    /// Creates the handles; the first time, starts libcurl.
    ///
    /// - Throws: `.misconfigured` if libcurl cannot be started.
    init() throws(TransportError) {
        guard CurlLibrary.isReady, let easy = curl_easy_init() else {
            throw .misconfigured(.libraryStart)
        }
        guard let multi = curl_multi_init() else {
            curl_easy_cleanup(easy)
            throw .misconfigured(.libraryStart)
        }
        self.easy = easy
        self.multi = multi
        words = .allocate(capacity: Int(CURL_ERROR_SIZE))
        words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_multi_cleanup(multi)
        words.deallocate()
    }

    /// Resets all options, and with them every pointer that was borrowed for the last request; the connection stays.
    func reset() {
        curl_easy_reset(easy)
        words.pointee = 0
    }

    /// Has libcurl explain failures in the buffer behind `explanation`.
    func collectExplanation() -> CURLcode { gitspace_curl_explain_to(easy, words) }

    /// libcurl's own words about the last failure: unredacted, and partly text from the server.
    var explanation: String { String(cString: words) }

    /// Runs the transfer that the options of `easy` describe.
    ///
    /// - Parameters:
    ///   - limit: the total time. libcurl has the same limit, but we do not rely on it alone.
    ///   - uptimeMilliseconds: the clock.
    ///   - isInterrupted: asked at least every 100 ms.
    /// - Returns: how it ended, in libcurl's terms.
    /// - Throws: `.interrupted` or `.timedOut`; the connection is then closed.
    func perform(
        within limit: Duration, by uptimeMilliseconds: () -> Int64, isInterrupted: () -> Bool
    ) throws(TransportError) -> CURLcode {
        guard curl_multi_add_handle(multi, easy) == CURLM_OK else { return CURLE_FAILED_INIT }
        // With CURLOPT_QUICK_EXIT this does not wait for the thread that looks up a name.
        defer { curl_multi_remove_handle(multi, easy) }
        let deadline = uptimeMilliseconds() + Int64(limit.wholeMilliseconds)
        while true {
            if isInterrupted() { throw .interrupted }
            var running: Int32 = 0
            guard curl_multi_perform(multi, &running) == CURLM_OK else { return CURLE_FAILED_INIT }
            if running == 0 { return outcome() }
            if uptimeMilliseconds() >= deadline { throw .timedOut }
            curl_multi_poll(multi, nil, 0, Self.attention, nil)
        }
    }

    private func outcome() -> CURLcode {
        var remaining: Int32 = 0
        while let message = curl_multi_info_read(multi, &remaining) {
            if message.pointee.msg == CURLMSG_DONE { return message.pointee.data.result }
        }
        return CURLE_FAILED_INIT
    }
}
