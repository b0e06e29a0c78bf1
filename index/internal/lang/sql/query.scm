(create_table (keyword_table) (object_reference) @name (column_definitions)? @body) @def.struct
(create_table (column_definitions (column_definition name: (identifier) @name) @def.field))
(create_view (keyword_view) (object_reference) @name (create_query)? @body) @def.type
(create_materialized_view (object_reference) @name (create_query)? @body) @def.type
(create_function (keyword_function) (object_reference) @name (function_body)? @body) @def.function
(create_index column: (identifier) @name (keyword_on)) @def.key
(create_type (object_reference) @name) @def.type
(create_trigger (keyword_trigger) . (object_reference) @name) @def.function
(create_schema (identifier) @name) @def.namespace
(create_sequence (object_reference) @name) @def.variable

; Uses of functions and tables.
(invocation (object_reference name: (identifier) @name)) @ref.call
(create_trigger [(keyword_function) (keyword_procedure)] . (object_reference name: (identifier) @name)) @ref.call
(create_trigger (keyword_on) . (object_reference name: (identifier) @name)) @ref.type
(create_index (keyword_on) . (object_reference name: (identifier) @name)) @ref.type
(relation (object_reference name: (identifier) @name)) @ref.type
(insert (object_reference name: (identifier) @name)) @ref.type
(alter_table (object_reference name: (identifier) @name)) @ref.type
(column_definition (keyword_references) . (object_reference name: (identifier) @name)) @ref.type

(comment) @comment
(marginalia) @comment
