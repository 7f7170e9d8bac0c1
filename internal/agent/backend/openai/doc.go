// Package openai is a mind behind an HTTP server that speaks chat completions as OpenAI does: OpenAI itself, or any of the many servers that
// follow it more or less.
//
// A request becomes one system text (the brief and a line of fixed words) and separate messages for instructions, facts and conversation; what a
// person or a viewer wrote never stands in the system text. Histories are mended on the way out: every tool call gets its answer right behind it,
// arguments that are not a JSON object leave as {}. On the way in the stream is read with patience for what servers do differently: no index on
// tool calls, all in one piece, no usage, a JSON body instead of a stream, a stream that breaks off. What goes wrong becomes an
// *agent.BackendError whose words hold no key, no address and nothing that the server repeated of the request.
//
// A Backend may be used by any goroutine. It remembers only which optional fields the server refused.
package openai
