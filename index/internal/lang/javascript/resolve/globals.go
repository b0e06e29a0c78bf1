package resolve

import (
	"regexp"

	"github.com/quarry-search/quarry/index/internal/graph/program"
)

// globals are the objects and functions that JavaScript, browsers and Node define, Node's
// modules, and the types of literals: they call no methods of what they are handed but those
// that the language itself gives a meaning.
var globals = program.Words(`
AbortController AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean Buffer DataView Date
DOMException Error EvalError Event EventTarget File FinalizationRegistry Float32Array Float64Array FormData Function Headers
Int16Array Int32Array Int8Array Intl Iterator JSON Map Math Number Object Promise Proxy RangeError ReferenceError Reflect RegExp
Request Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams
Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly XMLHttpRequest
alert atob btoa clearInterval clearTimeout console crypto decodeURI decodeURIComponent document encodeURI encodeURIComponent
escape eval fetch global globalThis history isFinite isNaN localStorage location navigator parseFloat parseInt performance process
queueMicrotask require screen sessionStorage setImmediate setInterval setTimeout structuredClone unescape window self module
assert async_hooks buffer child_process cluster constants dgram diagnostics_channel dns domain events fs http http2 https
inspector net os path perf_hooks punycode querystring readline repl stream string_decoder timers tls trace_events tty url util v8
vm wasi worker_threads zlib
string number boolean bigint symbol regexp object array func promise any undefined null list tuple map set str`)

// asserts are the functions of test frameworks that compare what they are handed: they, too, call no
// others of its methods.
var asserts = regexp.MustCompile(`^(?:(?:vitest|@jest/globals|bun:test|@playwright/test)\.(?:expect|assert|expectTypeOf|assertType)|expect|chai|uvu/assert|power-assert|expect-type)(?:\.|$)`)
