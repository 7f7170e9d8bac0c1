// Package static holds what a browser keeps: styles, scripts, drawings, and the pinned files of others in vendor. All of it is embedded and
// served under names that carry a hash of the content, so that a browser may keep it for ever and a new release is never mixed with an old one.
package static
