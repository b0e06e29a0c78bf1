; What JavaScript and TypeScript have in common.

(comment) @comment
(hash_bang_line) @head
(program . (comment)* . (expression_statement (string)) @head)

; Imports
(import_statement source: (string) @path) @import
(import_statement (import_clause (identifier) @default) source: (string) @path) @import
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (string) @path) @import
(import_statement (import_clause (named_imports
  (import_specifier name: (_) @import.name alias: (identifier)? @alias)))
  source: (string) @path) @import
(export_statement source: (string) @path) @import
(export_statement (export_clause
  (export_specifier name: (_) @import.name alias: (_)? @alias))
  source: (string) @path) @import
(variable_declarator
  name: (identifier) @alias
  value: (call_expression function: (identifier) @keyword arguments: (arguments . (string) @path))) @import
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @import.name)
  value: (call_expression function: (identifier) @keyword arguments: (arguments . (string) @path))) @import
(variable_declarator
  name: (object_pattern (pair_pattern key: (_) @import.name value: (identifier) @alias))
  value: (call_expression function: (identifier) @keyword arguments: (arguments . (string) @path))) @import
(call_expression function: (identifier) @keyword arguments: (arguments . (string) @path .)) @import
(call_expression function: (import) arguments: (arguments . (string) @path)) @import

; Exports
(export_statement) @export
(export_statement (export_clause (export_specifier name: (identifier) @export.name)))
(export_statement value: (identifier) @export.name)
(assignment_expression
  left: (member_expression object: (identifier) @keyword)
  right: (identifier) @export.name)
(assignment_expression
  left: (member_expression object: (identifier) @keyword)
  right: (object (shorthand_property_identifier) @export.name))
(assignment_expression
  left: (member_expression object: (identifier) @keyword)
  right: (object (pair value: (identifier) @export.name)))
(export_statement (export_clause (export_specifier name: (identifier) @ref.export)) source: (_) @_from)

; Definitions
(lexical_declaration) @outer
(variable_declaration) @outer
(expression_statement (assignment_expression)) @outer
(function_declaration name: (_) @name body: (_) @body) @def.function
(generator_function_declaration name: (_) @name body: (_) @body) @def.function
(class_declaration name: (_) @name body: (_) @body) @def.class
(method_definition name: (_) @name body: (_) @body) @def.method
