internal import CLibsecret

/// A subclass of libsecret's `SecretService` that records when a prompt is open.
///
/// libsecret shows any prompt that an answer names, by a method that can be overridden. We do so for two reasons: the
/// deadline may be extended only while a person is really asked; and libsecret's own version never completes when a
/// prompt is dismissed without a proper result (`g_task_return_error: assertion 'error != NULL' failed`).
enum PromptingService {
    /// The class, to be given to `secret_service_open`.
    static let type: GType = g_type_register_static_simple(
        secret_service_get_type(), "GitspaceSecretService", guint(MemoryLayout<SecretServiceClass>.stride),
        initializeClass, guint(MemoryLayout<GitspaceSecretService>.stride), nil, GTypeFlags(0))

    /// The domain of the error with which a dismissed prompt completes.
    static let dismissedDomain: GQuark = g_quark_from_static_string("gitspace-prompt-dismissed")

    private static let initializeClass: GClassInitFunc = { classPointer, _ in
        guard let overridden = classPointer?.assumingMemoryBound(to: SecretServiceClass.self) else { return }
        overridden.pointee.prompt_async = perform
        overridden.pointee.prompt_finish = finish
    }

    private typealias Perform =
        @convention(c) (
            UnsafeMutablePointer<SecretService>?, UnsafeMutablePointer<SecretPrompt>?, OpaquePointer?,
            UnsafeMutablePointer<GCancellable>?, GAsyncReadyCallback?, gpointer?
        ) -> Void

    private static let perform: Perform = { service, prompt, resultType, cancellable, callback, data in
        setPromptBegan(g_get_monotonic_time(), of: service)
        let task = g_task_new(service, cancellable, callback, data)
        secret_prompt_perform(prompt, nil, resultType, cancellable, complete, UnsafeMutableRawPointer(task))
    }

    /// Ends the task that `perform` began, and drops its reference.
    private static let complete: GAsyncReadyCallback = { prompt, performed, data in
        let task = OpaquePointer(data)
        let service = g_task_get_source_object(task)?.assumingMemoryBound(to: SecretService.self)
        setPromptBegan(0, of: service)
        var error: UnsafeMutablePointer<GError>?
        let result = secret_prompt_perform_finish(
            UnsafeMutableRawPointer(prompt)?.assumingMemoryBound(to: SecretPrompt.self), performed, &error)
        if let result {
            g_task_return_pointer(task, UnsafeMutableRawPointer(result)) { g_variant_unref(OpaquePointer($0)) }
        } else {
            g_task_return_error(task, error ?? g_error_new_literal(dismissedDomain, 0, "the prompt was dismissed"))
        }
        g_object_unref(data)
    }

    private typealias Finish =
        @convention(c) (
            UnsafeMutablePointer<SecretService>?, OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
        ) -> OpaquePointer?

    private static let finish: Finish = { _, task, error in OpaquePointer(g_task_propagate_pointer(task, error)) }

    private static func setPromptBegan(_ microseconds: gint64, of service: UnsafeMutablePointer<SecretService>?) {
        instance(service)?.pointee.prompt_began = microseconds
    }

    /// When the prompt that is open now appeared, in milliseconds on the monotonic clock; nil if none is open.
    static func promptBegan(of service: UnsafeMutablePointer<SecretService>) -> Int64? {
        instance(service).flatMap { $0.pointee.prompt_began == 0 ? nil : Int64($0.pointee.prompt_began) / 1000 }
    }

    private static func instance(
        _ service: UnsafeMutablePointer<SecretService>?
    ) -> UnsafeMutablePointer<GitspaceSecretService>? {
        UnsafeMutableRawPointer(service)?.assumingMemoryBound(to: GitspaceSecretService.self)
    }
}
