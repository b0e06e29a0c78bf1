; A stage runs to the next FROM.
(from_instruction "FROM" @level as: (image_alias) @name) @def.rule
(from_instruction "FROM" @level !as (image_spec name: (_) @name)) @def.rule
(entrypoint_instruction "ENTRYPOINT" @name) @def.rule
(cmd_instruction "CMD" @name) @def.rule
(arg_instruction name: (_) @name) @def.variable
(env_instruction (env_pair name: (_) @name) @def.variable)

(from_instruction (image_spec) @path) @import

(comment) @comment
