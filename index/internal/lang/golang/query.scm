; Go

(comment) @comment
(package_clause) @head
(import_declaration) @head
(import_spec name: (_)? @alias path: (_) @path) @import

(function_declaration name: (identifier) @name body: (block)? @body) @def.function
(method_declaration
  receiver: (parameter_list) @receiver
  name: (field_identifier) @name
  body: (block)? @body) @def.method

; A declaration of one name begins at its keyword; a group is no definition.
(type_declaration) @outer
(source_file (const_declaration) @outer)
(source_file (var_declaration) @outer)

(type_spec
  name: (type_identifier) @name
  type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec
  name: (type_identifier) @name
  type: (interface_type "{" @body)) @def.interface
(type_spec name: (type_identifier) @name) @def.type
(type_alias name: (type_identifier) @name) @def.type

(type_spec type: (struct_type (field_declaration_list
  (field_declaration (field_identifier) @name) @def.field)))
; An embedded field has the name of its type.
(type_spec type: (struct_type (field_declaration_list
  (field_declaration !name type: (type_identifier) @name) @def.field)))
(type_spec type: (struct_type (field_declaration_list
  (field_declaration !name type: (qualified_type name: (type_identifier) @name)) @def.field)))
(type_spec type: (struct_type (field_declaration_list
  (field_declaration !name type: (generic_type type: (type_identifier) @name)) @def.field)))
(type_spec type: (struct_type (field_declaration_list
  (field_declaration !name type: (generic_type type: (qualified_type name: (type_identifier) @name))) @def.field)))
(method_elem name: (field_identifier) @name) @def.method

(source_file (const_declaration (const_spec (identifier) @name) @def.constant))
(source_file (var_declaration (var_spec (identifier) @name) @def.variable))
(source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @def.variable)))

; References
(call_expression function: (identifier) @ref.call)
(call_expression function: (selector_expression
  operand: (_) @receiver field: (field_identifier) @ref.call))
(type_instantiation_expression type: (type_identifier) @ref.call)

(composite_literal type: (type_identifier) @ref.new)
(composite_literal type: (qualified_type
  package: (_) @receiver name: (type_identifier) @ref.new))
(composite_literal type: (generic_type type: (type_identifier) @ref.new))

(field_declaration !name type: (type_identifier) @ref.inherit)
(field_declaration !name type: (generic_type type: (type_identifier) @ref.inherit))
(field_declaration !name type: (qualified_type
  package: (_) @receiver name: (type_identifier) @ref.inherit))
(interface_type (type_elem . (type_identifier) @ref.inherit .))
(interface_type (type_elem . (qualified_type
  package: (_) @receiver name: (type_identifier) @ref.inherit) .))

(qualified_type package: (_) @receiver name: (type_identifier) @ref.type)
(type_identifier) @ref.type
