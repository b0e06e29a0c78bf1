(syntax) @head
(package) @head
(import path: (string) @path) @import
(source_file (option) @head)

(message (message_name) @name (message_body) @body) @def.struct
(enum (enum_name) @name (enum_body) @body) @def.enum
(enum_field . (identifier) @name) @def.field
(service (service_name) @name "{" @body) @def.interface
(rpc (rpc_name) @name) @def.method
(field (identifier) @name) @def.field
(map_field (identifier) @name) @def.field
(oneof . (identifier) @name "{" @body) @def.field
(oneof_field (identifier) @name) @def.field

(message_or_enum_type) @name @ref.type

(comment) @comment
