// Package api serves an index over HTTP.
//
// A Server translates: it reads a request of api/wire, has api/service answer it, and sends
// the answer. It keeps no results, changes none, and knows nothing of how they were found.
// What comes by MCP, on a Unix socket, to /rpc or to /relay is answered by the same service.
// What the endpoints take and give is described in openapi.yaml, of which this package serves
// a copy; the tests pass every exchange through that description.
//
// What it promises:
//
//   - GET /health answers 200 as long as the process serves, without waiting
//     for anything. While the index is being built, searches answer 200 with
//     what is there; GET /ready tells the difference.
//   - The results of a search are always a list, never null. A list is empty
//     only when nothing matched: whatever keeps the server from looking is an
//     error with a code and a sentence, a path with nothing indexed below it is
//     marked in meta.unindexed, and whatever left results out is named in
//     meta.truncated_by.
//   - Any Content-Type is accepted, numbers and booleans may be strings, and
//     unknown fields are named in meta.ignored. What is accepted but not taken as given (a
//     limit above the maximum) is named in meta.clamped.
//   - Pages in a browser get nothing: a Host that is not this machine and an
//     Origin that is not allowed are refused; only those of Options.AllowOrigins get
//     headers of CORS.
//   - With a token, nobody who does not show it gets more than /health and /ready.
//   - No text of a query is logged or counted, unless the operator wants it in the
//     envelope's telemetry.
//   - With Options.Identify, what is not for a user is to them as if it did not exist, and what
//     is said of the server itself is for operators.
//
// What it does not do: it keeps no users. It is made for a loopback address; on any other it
// needs a token, and without TLS, whoever can listen to the network can read that.
package api
