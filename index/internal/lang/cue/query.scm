(package_clause) @head
(import_spec name: (_)? @alias path: (_) @path) @import
(import_declaration) @head

; Fields of the file and the fields of their structs.
(source_file (field . (label) @receiver . (label) @name) @def.key)
(source_file (field . (label) @name . (value)) @def.key)
(source_file (let_clause left: (identifier) @name) @def.variable)
(source_file (field (value (struct_lit (field . (label) @name) @def.field))))

(call_expression function: [(identifier) @name (selector_expression (_) @receiver (identifier) @name)]) @ref.call

(comment) @comment
