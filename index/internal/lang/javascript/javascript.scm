; JavaScript, with JSX.

(field_definition property: (_) @name value: [
  (arrow_function body: (_) @body)
  (function_expression body: (_) @body)]) @def.method
(field_definition property: (_) @name) @def.field

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

; References
(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression object: (_) @receiver property: (_) @ref.call))
(new_expression constructor: (identifier) @ref.new)
(new_expression constructor: (member_expression object: (_) @receiver property: (_) @ref.new))
(class_heritage (identifier) @ref.inherit)
(class_heritage (member_expression object: (_) @receiver property: (_) @ref.inherit))
(jsx_opening_element name: (identifier) @ref.call @element)
(jsx_self_closing_element name: (identifier) @ref.call @element)
(jsx_opening_element name: (member_expression object: (_) @receiver property: (_) @ref.call))
(jsx_self_closing_element name: (member_expression object: (_) @receiver property: (_) @ref.call))
