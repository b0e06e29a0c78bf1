; Functions. `M.f`, `M:f` and `M.a.f` are split in the rules. The nodes of this
; grammar begin with the comments and line breaks before them, hence @start.
(function_statement (local) @start name: (_) @name (function_body)? @body) @def.function
(function_statement (function_start) @start name: (_) @name (function_body)? @body) @def.function
(variable_declaration (local) @start name: (variable_declarator) @name value: (function (function_body)? @body)) @def.function
(variable_declaration name: (variable_declarator) @start @name value: (function (function_body)? @body)) @def.function
(field name: (identifier) @start @name value: (function (function_body)? @body)) @def.function
(field (field_left_bracket) @start key: (string) @name value: (function (function_body)? @body)) @def.function

; local x = require("m")
(variable_declaration (local) @start name: (variable_declarator (identifier) @alias)
  value: (function_call . prefix: (identifier) @keyword args: [(string_argument) @path (function_arguments . (string) @path)])) @import
(function_call . prefix: (identifier) @keyword args: [(string_argument) @path (function_arguments . (string) @path)]) @import

; Values of the file; locals of functions are none.
(program (variable_declaration (local) @start name: (variable_declarator) @name value: (tableconstructor (fieldlist)) @body) @def.variable)
(program (variable_declaration (local) @start name: (variable_declarator) @name) @def.variable)
(program (variable_declaration name: (variable_declarator) @start @name value: (tableconstructor (fieldlist)) @body) @def.variable)
(program (variable_declaration name: (variable_declarator) @start @name) @def.variable)

; Calls: a prefix is one name, or names with dots between. Of a call with two
; dots, a.b.c(), nothing is taken: the anchors at the front see to that.
(function_call . prefix: (identifier) @name . args: (_)) @ref.call
(function_call . prefix: (identifier) @name . (function_call_paren)) @ref.call
(function_call . prefix: (_) @receiver . prefix: "." . prefix: (identifier) @name . (function_call_paren)) @ref.call
(function_call . prefix: (_) @receiver . (self_call_colon) . (identifier) @name) @ref.call

(comment) @comment
(emmy_documentation) @comment
