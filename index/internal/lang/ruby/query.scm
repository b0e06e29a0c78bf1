; Modules and classes. `class << self` is no container of its own.
(module name: (_) @name body: (body_statement)? @body) @def.module
(class name: (_) @name body: (body_statement)? @body) @def.class
(superclass [(constant) @name (scope_resolution name: (constant) @name)]) @ref.inherit

; Methods. A bare word before them, `private` for one, is a section.
(method name: (_) @name body: (body_statement)? @body) @def.method
(singleton_method object: (self) name: (_) @name body: (body_statement)? @body) @def.method
(singleton_method object: (constant) @receiver name: (_) @name body: (body_statement)? @body) @def.method
(alias name: (_) @name) @def.method
(call . method: (identifier) . arguments: (argument_list . [(method) (singleton_method)] .)) @outer
(body_statement (identifier) @section)

; Constants, and the fields that attr_accessor and its like make.
(assignment . left: (constant) @name right: (call block: (_) @body)) @def.constant
(assignment . left: (constant) @name) @def.constant
(call . method: (identifier) @keyword . arguments: (argument_list (simple_symbol) @name)) @def.field

; require "x" and include X are calls: the words decide.
(call . method: (identifier) @keyword . arguments: (argument_list . (string (string_content) @path) .)) @import
(call . method: (identifier) @keyword
  arguments: (argument_list [(constant) @name (scope_resolution name: (constant) @name)])) @ref.inherit
(call . receiver: [(constant) @name (scope_resolution name: (constant) @name)] . method: (identifier) @keyword) @ref.new

; Calls. A bare name is a call where its value is thrown away.
(call . receiver: (_) @receiver . method: [(identifier) (constant)] @name) @ref.call
(call . method: [(identifier) (constant)] @name) @ref.call
(body_statement (identifier) @name @ref.call . (_))

(comment) @comment
