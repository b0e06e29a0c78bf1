(module_declaration name: (_) @name) @def.module @head
(module_declaration exposing: (exposing_list [
  (exposed_value (lower_case_identifier) @export.name)
  (exposed_type (upper_case_identifier) @export.name)
  (double_dot) @export.name
]))
(import_clause moduleName: (_) @path asClause: (as_clause name: (_) @alias)?) @import

(type_alias_declaration name: (_) @name) @def.type
(type_declaration name: (_) @name) @def.type
(union_variant name: (_) @name) @def.field
(file (value_declaration functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name (lower_pattern)) body: (_) @body) @def.function)
(file (value_declaration functionDeclarationLeft: (function_declaration_left . (lower_case_identifier) @name) body: (_) @body) @def.function)
(port_annotation name: (_) @name) @def.function
(file (type_annotation) @decorator)

(function_call_expr target: (value_expr name: (value_qid) @name)) @ref.call
(type_ref (upper_case_qid) @name) @ref.type

(line_comment) @comment
(block_comment) @comment
