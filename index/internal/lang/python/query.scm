; Python

(comment) @comment
(module . (comment)* . (expression_statement (string)) @head)
(future_import_statement) @head

; Imports
(import_statement name: (dotted_name) @path) @import
(import_statement name: (aliased_import name: (dotted_name) @path alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @path name: (dotted_name) @import.name) @import
(import_from_statement module_name: (_) @path
  name: (aliased_import name: (dotted_name) @import.name alias: (identifier) @alias)) @import
(import_from_statement module_name: (_) @path (wildcard_import) @import.name) @import

; Definitions
(decorated_definition) @outer
(function_definition name: (identifier) @name body: (block) @body) @def.function
(class_definition name: (identifier) @name body: (block) @body) @def.class
(type_alias_statement . (type (identifier) @name)) @def.type
(type_alias_statement . (type (generic_type . (identifier) @name))) @def.type
(block . (comment)* . (expression_statement (string) @docstring))

(module (expression_statement (assignment left: (identifier) @name)) @def.variable)
(module (expression_statement (assignment left: (pattern_list (identifier) @name))) @def.variable)
(module (if_statement consequence: (block
  (expression_statement (assignment left: (identifier) @name)) @def.variable)))
(module (try_statement body: (block
  (expression_statement (assignment left: (identifier) @name)) @def.variable)))
(class_definition body: (block
  (expression_statement (assignment left: (identifier) @name)) @def.field))

; References
(call function: (identifier) @ref.call)
(call function: (attribute object: (_) @receiver attribute: (identifier) @ref.call))
(decorator (identifier) @ref.call)
(decorator (attribute object: (_) @receiver attribute: (identifier) @ref.call))
(class_definition superclasses: (argument_list (identifier) @ref.inherit))
(class_definition superclasses: (argument_list
  (attribute object: (_) @receiver attribute: (identifier) @ref.inherit)))
(class_definition superclasses: (argument_list (subscript value: (identifier) @ref.inherit)))
(type (identifier) @ref.type)
(type (attribute object: (_) @receiver attribute: (identifier) @ref.type))
(type (generic_type (identifier) @ref.type))
(type (subscript value: (identifier) @ref.type))
(type (binary_operator [left: (identifier) @ref.type right: (identifier) @ref.type]))
