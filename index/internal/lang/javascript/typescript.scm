; TypeScript

(public_field_definition name: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method
(public_field_definition name: (_) @name) @def.field
(function_signature name: (_) @name) @def.function
(method_signature name: (_) @name) @def.method
(abstract_method_signature name: (_) @name) @def.method
(abstract_class_declaration name: (_) @name body: (_) @body) @def.class
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(interface_body (property_signature name: (_) @name) @def.field)
(type_alias_declaration name: (_) @name value: (object_type "{" @body)) @def.type
(type_alias_declaration name: (_) @name) @def.type
(type_alias_declaration (object_type (property_signature name: (_) @name) @def.field))
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_body (property_identifier) @name @def.field)
(enum_assignment name: (_) @name) @def.field
(module name: (_) @name body: (_)? @body) @def.module
(internal_module name: (_) @name body: (_)? @body) @def.namespace
(ambient_declaration) @outer
(decorator) @decorator

(export_statement "default" @name value: [
  (arrow_function body: (_) @body)
  (function_expression !name body: (_) @body)
  (generator_function !name body: (_) @body)]) @def.function
(export_statement value: (function_expression name: (_) @name body: (_) @body)) @def.function
(export_statement "default" @name value: (class !name body: (_) @body)) @def.class
(export_statement value: (class name: (_) @name body: (_) @body)) @def.class
(export_statement "default" @name value: (object)) @def.variable
(export_statement "default" @name value: (call_expression)) @def.variable

(variable_declarator name: (identifier) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)
  (generator_function body: (_) @body)]) @def.function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class

(assignment_expression
  left: (member_expression object: (_) @receiver property: (_) @name)
  right: [
    (arrow_function body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)]) @def.function
(assignment_expression
  left: (member_expression object: (_) @receiver property: (_) @name)
  right: (class body: (_) @body)) @def.class
(assignment_expression
  left: (member_expression object: (identifier) @keyword @receiver property: (_) @name)
  right: (object)) @def.variable
(assignment_expression
  left: (member_expression object: (identifier) @keyword @receiver property: (_) @name)
  right: [(call_expression) (new_expression) (string) (template_string) (number) (array)
    (true) (false) (regex) (binary_expression)]) @def.variable

(variable_declarator value: (object (pair key: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method))
(assignment_expression right: (object (pair key: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method))
(export_statement value: (object (pair key: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method))

(program (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
(program (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))
(export_statement (lexical_declaration kind: "const" (variable_declarator name: (identifier) @name) @def.constant))
(export_statement (lexical_declaration kind: "let" (variable_declarator name: (identifier) @name) @def.variable))
(export_statement (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))
(ambient_declaration (lexical_declaration (variable_declarator name: (identifier) @name) @def.constant))
(ambient_declaration (variable_declaration (variable_declarator name: (identifier) @name) @def.variable))
(internal_module body: (statement_block (lexical_declaration (variable_declarator name: (identifier) @name) @def.constant)))

; References
(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression object: (_) @receiver property: (_) @ref.call))
(new_expression constructor: (identifier) @ref.new)
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @ref.new))
(extends_clause value: (identifier) @ref.inherit)
(extends_clause value: (member_expression object: (_) @receiver property: (_) @ref.inherit))
(implements_clause (type_identifier) @ref.inherit)
(implements_clause (generic_type name: (type_identifier) @ref.inherit))
(implements_clause (nested_type_identifier module: (_) @receiver name: (_) @ref.inherit))
(extends_type_clause (type_identifier) @ref.inherit)
(extends_type_clause (generic_type name: (type_identifier) @ref.inherit))
(extends_type_clause (nested_type_identifier module: (_) @receiver name: (_) @ref.inherit))
(nested_type_identifier module: (_) @receiver name: (type_identifier) @ref.type)
(type_identifier) @ref.type
