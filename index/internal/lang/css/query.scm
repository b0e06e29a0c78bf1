(import_statement [(string_value) @path (plain_value) @path (call_expression (arguments (_) @path))]) @import

(rule_set (selectors) @name (block) @body) @def.rule
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @def.rule
(declaration (property_name) @name) @def.variable

(comment) @comment
