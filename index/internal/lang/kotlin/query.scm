(file_annotation) @head
(package_header) @head
(import_header (identifier) @path [(import_alias (type_identifier) @alias) (wildcard_import) @import.name]?) @import @head

; Types. An enum class is also a "class": the first pattern of a node wins.
(class_declaration "interface" (type_identifier) @name (class_body)? @body) @def.interface
(class_declaration "enum" (type_identifier) @name (enum_class_body)? @body) @def.enum
(class_declaration "class" (type_identifier) @name (class_body)? @body) @def.class
(object_declaration (type_identifier) @name (class_body)? @body) @def.class
(type_alias (type_identifier) @name) @def.type
(enum_entry (simple_identifier) @name (class_body)? @body) @def.field

; Functions. An extension function belongs to the type that it extends.
(function_declaration [
  (user_type (type_identifier) @receiver .)
  (user_type (type_identifier) @receiver . (type_arguments) .)
  (nullable_type (user_type (type_identifier) @receiver .))
] . (simple_identifier) @name (function_body)? @body) @def.function
(function_declaration (simple_identifier) @name (function_body)? @body) @def.function
(secondary_constructor "constructor" @name (statements)? @body) @def.constructor

; Properties of files, types and parameter lists; locals are none.
(source_file (property_declaration (modifiers (property_modifier)) (variable_declaration (simple_identifier) @name)) @def.constant)
(source_file (property_declaration (user_type (type_identifier) @receiver .) . (variable_declaration (simple_identifier) @name)) @def.field)
(source_file (property_declaration (variable_declaration (simple_identifier) @name)) @def.variable)
(class_body (property_declaration (modifiers (property_modifier)) (variable_declaration (simple_identifier) @name)) @def.constant)
(class_body (property_declaration (variable_declaration (simple_identifier) @name)) @def.field)
(enum_class_body (property_declaration (variable_declaration (simple_identifier) @name)) @def.field)
(class_parameter (binding_pattern_kind) (simple_identifier) @name) @def.field

; Bases.
(delegation_specifier (user_type (type_identifier) @name)) @ref.inherit
(delegation_specifier (constructor_invocation (user_type (type_identifier) @name))) @ref.inherit

; Calls; constructors look like any other call.
(call_expression . (simple_identifier) @name) @ref.call
(call_expression . (navigation_expression (_) @receiver (navigation_suffix (simple_identifier) @name) .)) @ref.call

(user_type (type_identifier) @name) @ref.type

(line_comment) @comment
(multiline_comment) @comment
