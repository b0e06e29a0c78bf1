; C

(comment) @comment
(preproc_include path: (_) @path) @import
(preproc_include) @head
(preproc_def) @head
(preproc_call) @head
(preproc_ifdef ["#ifndef" "#ifdef"] @head)
(preproc_ifdef name: (identifier) @head)

; Functions: the declarator may be wrapped in pointers.
(function_definition
  declarator: (function_declarator declarator: (identifier) @name)
  body: (_) @body) @def.function
(function_definition
  declarator: (pointer_declarator (function_declarator declarator: (identifier) @name))
  body: (_) @body) @def.function
(function_definition
  declarator: (pointer_declarator (pointer_declarator (function_declarator declarator: (identifier) @name)))
  body: (_) @body) @def.function
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def.function
(declaration declarator: (pointer_declarator (function_declarator declarator: (identifier) @name))) @def.function
(declaration declarator: (pointer_declarator
  (pointer_declarator (function_declarator declarator: (identifier) @name)))) @def.function

; Types
(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.type
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.type
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum
(type_definition declarator: (type_identifier) @name) @def.type
(type_definition declarator: (_ declarator: (type_identifier) @name)) @def.type
(type_definition declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @def.type
(enumerator name: (identifier) @name) @def.field
(field_declaration declarator: (field_identifier) @name) @def.field
(field_declaration declarator: (_ declarator: (field_identifier) @name)) @def.field
(field_declaration declarator: (function_declarator
  declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @def.field

; Variables of the file, also below #if
(translation_unit (declaration declarator: (identifier) @name) @def.variable)
(translation_unit (declaration declarator: (_ declarator: (identifier) @name)) @def.variable)
(translation_unit (declaration declarator: (init_declarator declarator: (_ declarator: (identifier) @name))) @def.variable)
(preproc_ifdef (declaration declarator: (identifier) @name) @def.variable)
(preproc_ifdef (declaration declarator: (_ declarator: (identifier) @name)) @def.variable)
(preproc_if (declaration declarator: (identifier) @name) @def.variable)
(preproc_if (declaration declarator: (_ declarator: (identifier) @name)) @def.variable)

(preproc_function_def name: (identifier) @name value: (_)? @body) @def.macro
(preproc_def name: (identifier) @name) @def.macro

; References
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @ref.call))
(type_identifier) @ref.type
