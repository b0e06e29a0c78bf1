(package_clause) @head
(import_declaration) @import @path @head

; Types.
(package_object name: (_) @name body: (_)? @body) @def.module
(object_definition name: (_) @name body: (_)? @body) @def.class
(class_definition name: (_) @name body: (_)? @body) @def.class
(trait_definition name: (_) @name body: (_)? @body) @def.trait
(enum_definition name: (_) @name body: (_)? @body) @def.enum
(simple_enum_case name: (_) @name) @def.field
(full_enum_case name: (_) @name) @def.field
(type_definition name: (_) @name) @def.type
(given_definition name: (_) @name body: (_)? @body) @def.variable

; An extension's function belongs to the type that it extends.
(extension_definition
  parameters: (parameters . (parameter type: [(type_identifier) @receiver (generic_type type: (type_identifier) @receiver)]))
  (function_definition name: (_) @name body: (_)? @body) @def.function)
(function_definition name: (_) @name body: (_)? @body) @def.function
(function_declaration name: (_) @name) @def.function

; Values of files and types; locals are none.
(compilation_unit (val_definition pattern: (identifier) @name) @def.variable)
(compilation_unit (var_definition pattern: (identifier) @name) @def.variable)
(template_body (val_definition pattern: (identifier) @name) @def.field)
(template_body (var_definition pattern: (identifier) @name) @def.field)
(template_body (val_declaration name: (identifier) @name) @def.field)
(template_body (var_declaration name: (identifier) @name) @def.field)
(class_parameter name: (identifier) @name) @def.field

; Bases.
(extends_clause [(type_identifier) @name (generic_type type: (type_identifier) @name) (stable_type_identifier (type_identifier) @name)]) @ref.inherit

; Calls and objects.
(call_expression function: [
  (identifier) @name
  (field_expression value: (_) @receiver field: (identifier) @name)
  (generic_function function: (identifier) @name)
  (generic_function function: (field_expression value: (_) @receiver field: (identifier) @name))
]) @ref.call
(instance_expression [(type_identifier) @name (generic_type type: (type_identifier) @name)]) @ref.new

(type_identifier) @name @ref.type

(comment) @comment
(block_comment) @comment
