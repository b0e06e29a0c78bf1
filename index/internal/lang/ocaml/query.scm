(open_module (module_path) @path) @import
(include_module (module_path) @name) @ref.inherit

; Definitions of files and modules; a let inside an expression is local. A
; group joined by `and` has several bindings in one node.
(compilation_unit (value_definition . (let_binding pattern: (value_name) @name (parameter) body: (_) @body) .) @def.function)
(compilation_unit (value_definition . (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) .) @def.function)
(compilation_unit (value_definition . (let_binding pattern: [(value_name) (parenthesized_operator)] @name) .) @def.variable)
(compilation_unit (value_definition "let" @start . "rec" . (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @def.function))
(compilation_unit (value_definition "and" @start . (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @def.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @def.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @def.variable))
(structure (value_definition . (let_binding pattern: (value_name) @name (parameter) body: (_) @body) .) @def.function)
(structure (value_definition . (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) .) @def.function)
(structure (value_definition . (let_binding pattern: [(value_name) (parenthesized_operator)] @name) .) @def.variable)
(structure (value_definition "let" @start . "rec" . (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @def.function))
(structure (value_definition "and" @start . (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @def.function))
(structure (value_definition (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @def.function))
(structure (value_definition (let_binding pattern: (value_name) @name) @def.variable))
(value_specification (value_name) @name) @def.function
(external (value_name) @name) @def.function

(type_definition . (type_binding name: (_) @name) .) @def.type
(type_definition "type" @start . (type_binding name: (_) @name) @def.type)
(type_definition "and" @start . (type_binding name: (_) @name) @def.type)
(type_definition (type_binding name: (_) @name) @def.type)
(type_binding (variant_declaration (constructor_declaration (constructor_name) @name) @def.field))
(field_declaration (field_name) @name) @def.field
(exception_definition (constructor_declaration (constructor_name) @name)) @def.type

(module_definition (module_binding name: (_) @name body: (structure)? @body)) @def.module
(module_type_definition name: (_) @name body: (_)? @body) @def.interface
(class_definition (class_binding name: (_) @name body: (_)? @body)) @def.class
(method_definition name: (_) @name body: (_)? @body) @def.method
(instance_variable_definition name: (_) @name) @def.field

(application_expression function: (value_path (module_path)? @receiver (value_name) @name)) @ref.call
(type_constructor_path (extended_module_path)? @receiver (type_constructor) @name) @ref.type

(comment) @comment
