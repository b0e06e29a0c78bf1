; A namespace without a body runs to the next one (see the rules).
(namespace_definition name: (_) @name body: (_) @body) @def.namespace
(namespace_definition "namespace" @level name: (_) @name !body) @def.namespace @head

; Types.
(class_declaration name: (name) @name body: (_) @body) @def.class
(interface_declaration name: (name) @name body: (_) @body) @def.interface
(trait_declaration name: (name) @name body: (_) @body) @def.trait
(enum_declaration name: (name) @name body: (_) @body) @def.enum
(enum_case name: (name) @name) @def.field

; Members and functions.
(method_declaration name: (name) @name body: (_)? @body) @def.method
(function_definition name: (name) @name body: (_) @body) @def.function
(const_declaration (const_element . (name) @name)) @def.constant
(property_declaration (property_element (variable_name (name) @name))) @def.field

; Imports.
(namespace_use_declaration (namespace_use_clause [(name) (qualified_name)] @path (namespace_aliasing_clause (name) @alias)?)) @import @head
(namespace_use_declaration (namespace_name) @path
  (namespace_use_group (namespace_use_group_clause (namespace_name) @import.name (namespace_aliasing_clause (name) @alias)?))) @import @head
(require_expression [(string (string_content) @path) (binary_expression right: (string (string_content) @path))]) @import
(require_once_expression [(string (string_content) @path) (binary_expression right: (string (string_content) @path))]) @import
(include_expression [(string (string_content) @path) (binary_expression right: (string (string_content) @path))]) @import
(include_once_expression [(string (string_content) @path) (binary_expression right: (string (string_content) @path))]) @import

; Bases and used traits.
(base_clause [(name) @name (qualified_name (name) @name)]) @ref.inherit
(class_interface_clause [(name) @name (qualified_name (name) @name)]) @ref.inherit
(use_declaration [(name) @name (qualified_name (name) @name)]) @ref.inherit

; Calls and objects.
(function_call_expression function: [(name) @name (qualified_name (name) @name)]) @ref.call
(member_call_expression object: (_) @receiver name: (name) @name) @ref.call
(nullsafe_member_call_expression object: (_) @receiver name: (name) @name) @ref.call
(scoped_call_expression scope: (_) @receiver name: (name) @name) @ref.call
(object_creation_expression [(name) @name (qualified_name (name) @name)]) @ref.new

; Types.
(named_type [(name) @name (qualified_name (name) @name)]) @ref.type
(attribute [(name) @name (qualified_name (name) @name)]) @ref.type

(php_tag) @head
(comment) @comment
