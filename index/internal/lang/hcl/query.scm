; A block belongs to its type or first label: aws_s3_bucket.logs, var.name.
(config_file (body (block . (identifier) . (string_lit) @receiver . (string_lit) @name . (block_start) @body) @def.key))
(config_file (body (block . (identifier) @receiver . (string_lit) @name . (block_start) @body) @def.key))
(config_file (body (block . (identifier) @name . (block_start) @body) @def.key))
(config_file (body (attribute . (identifier) @name) @def.key))
; locals { name = value }
(config_file (body (block . (identifier) @keyword . (block_start) (body (attribute . (identifier) @name) @def.key))))

; A module's source is an import.
(block (body (attribute . (identifier) @keyword (expression (literal_value (string_lit (template_literal) @path)))) @import))

; Uses of what blocks define: var.name, aws_s3_bucket.logs.id
(expression (variable_expr (identifier) @receiver) . (get_attr (identifier) @name)) @ref.call

(comment) @comment
