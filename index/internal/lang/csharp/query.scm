; Namespaces. The file-scoped one runs to the end of the file (see the rules).
(namespace_declaration name: (_) @name body: (_) @body) @def.namespace
(file_scoped_namespace_declaration "namespace" @level name: (_) @name) @def.namespace @head

; Types.
(class_declaration name: (identifier) @name body: (_)? @body) @def.class
(record_declaration "struct" name: (identifier) @name body: (_)? @body) @def.struct
(record_declaration name: (identifier) @name body: (_)? @body) @def.class
(record_declaration (parameter_list (parameter name: (identifier) @name) @def.field))
(struct_declaration name: (identifier) @name body: (_)? @body) @def.struct
(interface_declaration name: (identifier) @name body: (_)? @body) @def.interface
(enum_declaration name: (identifier) @name body: (_)? @body) @def.enum
(enum_member_declaration name: (identifier) @name) @def.field
(delegate_declaration name: (identifier) @name) @def.type

; Members.
(method_declaration name: (identifier) @name body: (_)? @body) @def.method
(constructor_declaration name: (identifier) @name body: (_)? @body) @def.constructor
(operator_declaration operator: _ @name body: (_)? @body) @def.method
(indexer_declaration "this" @name accessors: (_)? @body) @def.field
(local_function_statement name: (identifier) @name body: (_)? @body) @def.function
(property_declaration name: (identifier) @name accessors: (_)? @body) @def.field
(field_declaration (modifier "const") (variable_declaration (variable_declarator name: (identifier) @name))) @def.constant
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def.field
(event_declaration name: (identifier) @name accessors: (_)? @body) @def.field

; Imports.
(using_directive name: (identifier) @alias (_) @path .) @import @head
(using_directive !name (_) @path) @import @head

; Bases.
(base_list [
  (identifier) @name
  (generic_name (identifier) @name)
  (qualified_name name: (identifier) @name)
  (qualified_name name: (generic_name (identifier) @name))
  (primary_constructor_base_type type: (identifier) @name)
]) @ref.inherit

; Calls and objects.
(invocation_expression function: [
  (identifier) @name
  (generic_name (identifier) @name)
  (member_access_expression expression: (_) @receiver name: (identifier) @name)
  (member_access_expression expression: (_) @receiver name: (generic_name (identifier) @name))
  (conditional_access_expression condition: (_) @receiver (member_binding_expression name: (identifier) @name))
]) @ref.call
(object_creation_expression type: [
  (identifier) @name
  (generic_name (identifier) @name)
  (qualified_name qualifier: (_) @receiver name: (identifier) @name)
]) @ref.new

; Types in signatures and declarations.
(parameter type: [(identifier) @name (generic_name (identifier) @name) (nullable_type (identifier) @name) (array_type (identifier) @name)]) @ref.type
(method_declaration returns: [(identifier) @name (generic_name (identifier) @name) (nullable_type (identifier) @name) (array_type (identifier) @name)]) @ref.type
(property_declaration type: [(identifier) @name (generic_name (identifier) @name) (nullable_type (identifier) @name) (array_type (identifier) @name)]) @ref.type
(variable_declaration type: [(identifier) @name (generic_name (identifier) @name) (nullable_type (identifier) @name) (array_type (identifier) @name)]) @ref.type
(type_argument_list (identifier) @name) @ref.type
(attribute name: (identifier) @name) @ref.type

(comment) @comment
