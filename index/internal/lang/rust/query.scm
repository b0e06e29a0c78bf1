; Rust

(line_comment) @comment
(block_comment) @comment
(attribute_item) @decorator
(inner_attribute_item) @head
(extern_crate_declaration) @head
(extern_crate_declaration name: (identifier) @path alias: (identifier)? @alias) @import
(use_declaration argument: (_) @path) @import

; Definitions
(function_item name: (identifier) @name body: (_) @body) @def.function
(function_signature_item name: (identifier) @name) @def.function
(struct_item name: (type_identifier) @name body: (field_declaration_list) @body) @def.struct
(struct_item name: (type_identifier) @name) @def.struct
(union_item name: (type_identifier) @name body: (_) @body) @def.type
(enum_item name: (type_identifier) @name body: (_) @body) @def.enum
(enum_variant name: (identifier) @name) @def.field
(field_declaration name: (field_identifier) @name) @def.field
(trait_item name: (type_identifier) @name body: (_) @body) @def.trait
(type_item name: (type_identifier) @name) @def.type
(associated_type name: (type_identifier) @name) @def.type
(mod_item name: (identifier) @name body: (_)? @body) @def.module
(const_item name: (identifier) @name) @def.constant
(static_item name: (identifier) @name) @def.variable
(macro_definition name: (identifier) @name "{" @body) @def.macro
(macro_definition name: (identifier) @name) @def.macro
(impl_item trait: (_) type: (_) @name) @scope.public
(impl_item type: (_) @name) @scope

; References
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @ref.call))
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @ref.call))
(call_expression function: (scoped_identifier !path name: (identifier) @ref.call))
(call_expression function: (generic_function function: (identifier) @ref.call))
(call_expression function: (generic_function
  function: (scoped_identifier path: (_) @receiver name: (identifier) @ref.call)))
(call_expression function: (generic_function
  function: (field_expression value: (_) @receiver field: (field_identifier) @ref.call)))
(macro_invocation macro: (identifier) @ref.call)
(macro_invocation macro: (scoped_identifier path: (_) @receiver name: (identifier) @ref.call))
(struct_expression name: (type_identifier) @ref.new)
(struct_expression name: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @ref.new))
(impl_item trait: (type_identifier) @ref.inherit)
(impl_item trait: (generic_type type: (type_identifier) @ref.inherit))
(impl_item trait: (scoped_type_identifier path: (_) @receiver name: (type_identifier) @ref.inherit))
(trait_item bounds: (trait_bounds (type_identifier) @ref.inherit))
(trait_item bounds: (trait_bounds (generic_type type: (type_identifier) @ref.inherit)))
(scoped_type_identifier path: (_) @receiver name: (type_identifier) @ref.type)
(type_identifier) @ref.type
