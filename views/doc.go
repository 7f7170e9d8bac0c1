// Package views is what people see: values in, markup out. A page takes one struct, declared beside its component, and reads nothing else; what
// belongs to the request (language, base path, moment) travels in the context as a Setting.
//
// One file is one room of the site. A component that live updates touch has a stable id built by one function of ids.go, and a Partial twin
// that carries it over the socket. Every number is a link to the comments it was counted from. Viewers' words are isolated from the words
// around them, clipped, and masked when a rule withheld them. No component has inline script or style: the content security policy forbids both.
package views
