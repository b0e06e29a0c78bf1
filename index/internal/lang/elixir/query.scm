; Everything is a call: what a word defines is decided in the rules.
(call . target: (identifier) @keyword . (arguments . (alias) @name .) (do_block)? @body) @def.module
(call . target: (identifier) @keyword . (arguments . (alias) @receiver . (keywords (pair value: (alias) @name))) (do_block) @body) @def.module
(call . target: (identifier) @keyword . (arguments . [
    (identifier) @name
    (call target: (identifier) @name)
    (binary_operator left: (identifier) @name operator: ["when" "::"])
    (binary_operator left: (call target: (identifier) @name) operator: ["when" "::"])
  ] . (keywords)? @body)
  (do_block)? @body) @def.function
(call . target: (identifier) @keyword @name . (arguments . [(list) (keywords)])) @def.struct

; What begins with @: constants, docs, specifications.
(unary_operator "@" . (call)) @outer
(unary_operator "@" . (call . target: (identifier) @name . (arguments . [(integer) (float) (string) (sigil) (atom) (list) (tuple) (map) (boolean) (nil) (alias) (binary_operator)]))) @def.constant
(unary_operator "@" . (call . target: (identifier) @keyword . (arguments . (_)))) @attribute

; Imports and behaviours.
(call . target: (identifier) @keyword . (arguments . [(alias) (dot)] @path . (keywords (pair value: (alias) @alias))?)) @import
(call . target: (identifier) @keyword . (arguments . (alias) @name)) @ref.inherit

; Calls.
(call . target: (identifier) @name) @ref.call
(call . target: (dot . left: (_) @receiver . right: (identifier) @name)) @ref.call

(comment) @comment
