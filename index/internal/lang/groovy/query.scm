(groovy_package) @head
(groovy_import import: (_) @path import_alias: (_)? @alias) @import

(class_definition "interface" name: (identifier) @name body: (_) @body) @def.interface
(class_definition name: (identifier) @name body: (_) @body) @def.class
(function_definition function: (identifier) @name body: (_) @body) @def.function
(function_declaration function: (identifier) @name) @def.function
(class_definition body: (closure (declaration name: (identifier) @name) @def.field))
(source_file (declaration type: (identifier) @keyword name: (identifier) @name) @def.key)

(class_definition superclass: (identifier) @name) @ref.inherit
(function_call function: [(identifier) @name (dotted_identifier (_) @receiver . (identifier) @name .)]) @ref.call
(juxt_function_call function: [(identifier) @name (dotted_identifier (_) @receiver . (identifier) @name .)]) @ref.call
(parameter type: (identifier) @name) @ref.type

(comment) @comment
(groovy_doc) @comment
