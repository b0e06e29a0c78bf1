(import_declaration (identifier) @path) @import @head

; Types. An extension adds to a type defined elsewhere: a scope of that name.
(class_declaration declaration_kind: "class" name: (_) @name body: (_) @body) @def.class
(class_declaration declaration_kind: "actor" name: (_) @name body: (_) @body) @def.class
(class_declaration declaration_kind: "struct" name: (_) @name body: (_) @body) @def.struct
(class_declaration declaration_kind: "enum" name: (_) @name body: (_) @body) @def.enum
(class_declaration declaration_kind: "extension" name: (_) @name) @scope
(protocol_declaration name: (_) @name body: (_) @body) @def.interface
(enum_entry name: (simple_identifier) @name) @def.field
(typealias_declaration . (modifiers)? . name: (type_identifier) @name) @def.type
(associatedtype_declaration . (modifiers)? . name: (type_identifier) @name) @def.type

; Functions.
; (the library takes half a minute to check name and body in one pattern)
(function_declaration (simple_identifier) @name) @def.function
(function_declaration (function_body) @body .)
(protocol_function_declaration name: (simple_identifier) @name) @def.function
(init_declaration name: _ @name body: (_)? @body) @def.constructor
(subscript_declaration "subscript" @name (computed_property)? @body) @def.field

; Properties of files and types; locals are none.
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)? @body) @def.variable)
(class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)? @body) @def.field)
(enum_class_body (property_declaration name: (pattern bound_identifier: (simple_identifier) @name) computed_value: (_)? @body) @def.field)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @def.field

; Bases.
(inheritance_specifier inherits_from: (user_type (type_identifier) @name)) @ref.inherit

; Calls; initialisers look like any other call.
(call_expression . (simple_identifier) @name) @ref.call
(call_expression . (navigation_expression target: (_) @receiver suffix: (navigation_suffix suffix: (simple_identifier) @name))) @ref.call

(user_type (type_identifier) @name) @ref.type

(comment) @comment
(multiline_comment) @comment
