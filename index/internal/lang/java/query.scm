; Java

(line_comment) @comment
(block_comment) @comment
(package_declaration) @head
(import_declaration) @head
(import_declaration (scoped_identifier) @path) @import
(import_declaration (scoped_identifier) @path (asterisk) @import.name) @import
(import_declaration (identifier) @path) @import

; Definitions
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(record_declaration name: (identifier) @name body: (_) @body) @def.class
(interface_declaration name: (identifier) @name body: (_) @body) @def.interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @def.interface
(annotation_type_element_declaration name: (identifier) @name) @def.method
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_constant name: (identifier) @name body: (_)? @body) @def.field
(method_declaration name: (identifier) @name body: (_)? @body) @def.method
(constructor_declaration name: (identifier) @name body: (_) @body) @def.constructor
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @def.constructor
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def.constant

; References
(method_invocation !object name: (identifier) @ref.call)
(method_invocation object: (_) @receiver name: (identifier) @ref.call)
(method_reference . (_) @receiver (identifier) @ref.call .)
(explicit_constructor_invocation constructor: (super) @ref.call)
(object_creation_expression type: (type_identifier) @ref.new)
(object_creation_expression type: (generic_type . (type_identifier) @ref.new))
(object_creation_expression type: (scoped_type_identifier (_) @receiver . (type_identifier) @ref.new .))
(superclass (type_identifier) @ref.inherit)
(superclass (generic_type . (type_identifier) @ref.inherit))
(superclass (scoped_type_identifier (_) @receiver . (type_identifier) @ref.inherit .))
(super_interfaces (type_list (type_identifier) @ref.inherit))
(super_interfaces (type_list (generic_type . (type_identifier) @ref.inherit)))
(extends_interfaces (type_list (type_identifier) @ref.inherit))
(extends_interfaces (type_list (generic_type . (type_identifier) @ref.inherit)))
(superclass (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @ref.inherit .)))
(super_interfaces (type_list (scoped_type_identifier (_) @receiver . (type_identifier) @ref.inherit .)))
(super_interfaces (type_list (generic_type . (scoped_type_identifier (_) @receiver . (type_identifier) @ref.inherit .))))
(marker_annotation name: (identifier) @ref.type)
(annotation name: (identifier) @ref.type)
(scoped_type_identifier (_) @receiver . (type_identifier) @ref.type .)
(type_identifier) @ref.type
