extension Forge {
    /// Answers `go` with a module's repository, if the account sees it (https://go.dev/ref/mod#vcs-find).
    func answerGoGet(_ request: Request) -> Answer {
        let slug = request.path.dropFirst()
        guard repository(slug, for: liveToken(request.basicCredentials?.password)) != nil else {
            return .html("<h1>Not Found</h1>", status: 404)
        }
        let place = "\(request.host)/\(slug)"
        let meta = "<meta name=\"go-import\" content=\"\(place) git https://\(place)\">"
        return .text("<!DOCTYPE html>\n<html><head>\(meta)</head></html>\n", type: "text/html; charset=utf-8")
    }
}
