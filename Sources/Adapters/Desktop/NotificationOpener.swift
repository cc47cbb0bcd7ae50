internal import CGio
internal import Machine

/// Opens an address with whatever the desktop opens addresses with.
package enum NotificationOpener {
    /// Starts the browser, and does not wait for it; nothing happens where there is no display or no browser.
    package static func open(_ address: String) {
        guard ["WAYLAND_DISPLAY", "DISPLAY"].contains(where: { Environment[$0]?.isEmpty == false }) else { return }
        g_app_info_launch_default_for_uri_async(address, nil, nil, nil, nil)
    }
}
