; C++

(namespace_definition !name body: (_) @body) @scope.private
(namespace_definition name: (_) @name body: (_) @body) @def.namespace
(class_specifier name: (_) @name body: (_) @body) @def.class
(struct_specifier name: (template_type) @name body: (_) @body) @def.struct
(field_declaration_list (access_specifier) @section)
(template_declaration) @outer
(concept_definition name: (identifier) @name) @def.type
(alias_declaration name: (type_identifier) @name) @def.type
(declaration declarator: (function_declarator declarator: (identifier) @name)) @def.function
(declaration declarator: (pointer_declarator (function_declarator declarator: (identifier) @name))) @def.function
(namespace_definition body: (declaration_list (declaration declarator: (identifier) @name) @def.variable))
(namespace_definition body: (declaration_list (declaration declarator: (_ declarator: (identifier) @name)) @def.variable))

(using_declaration) @head

; "int a = 0;" in a class is read as a pure virtual function.
(function_definition declarator: (field_identifier) @name) @def.field
(function_definition declarator: (pointer_declarator declarator: (field_identifier) @name)) @def.field

; A constructor's signature ends before its initialisers.
(function_definition
  declarator: (function_declarator declarator: [(identifier) (qualified_identifier)] @name)
  (field_initializer_list) @body) @def.function

; Methods and functions with names that C does not have
(function_definition
  declarator: (function_declarator declarator: [(field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)
  body: (_)? @body) @def.function
(function_definition
  declarator: (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (destructor_name) (operator_name)] @name)
  . [(default_method_clause) (delete_method_clause)] @body) @def.function
(function_definition
  declarator: (pointer_declarator (function_declarator declarator: [(field_identifier) (qualified_identifier) (operator_name)] @name))
  body: (_) @body) @def.function
(function_definition
  declarator: (reference_declarator (function_declarator declarator: [(identifier) (field_identifier) (qualified_identifier) (operator_name)] @name))
  body: (_)? @body) @def.function
(function_definition declarator: (operator_cast) @name body: (_) @body) @def.function
(function_definition declarator: (qualified_identifier name: (operator_cast)) @name body: (_) @body) @def.function
(field_declaration declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @def.function
(field_declaration declarator: (pointer_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @def.function
(field_declaration declarator: (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @def.function
(field_declaration declarator: (reference_declarator (field_identifier) @name)) @def.field
(declaration declarator: (function_declarator declarator: [(destructor_name) (operator_name)] @name)) @def.function
(declaration declarator: (reference_declarator (function_declarator declarator: [(identifier) (operator_name)] @name))) @def.function
(declaration declarator: (operator_cast) @name) @def.function

; References
(call_expression function: (qualified_identifier) @ref.call)
(call_expression function: (template_function name: (identifier) @ref.call))
(call_expression function: (field_expression argument: (_) @receiver field: (template_method name: (field_identifier) @ref.call)))
(new_expression type: (type_identifier) @ref.new)
(new_expression type: (qualified_identifier) @ref.new)
(new_expression type: (template_type name: (type_identifier) @ref.new))
(base_class_clause (type_identifier) @ref.inherit)
(base_class_clause (qualified_identifier) @ref.inherit)
(base_class_clause (template_type name: (type_identifier) @ref.inherit))
(qualified_identifier scope: (_) @receiver name: (type_identifier) @ref.type)
