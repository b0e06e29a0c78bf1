(function_definition name: (word) @name body: (_) @body) @def.function

; Variables of the file.
(program (variable_assignment name: (variable_name) @name) @def.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @def.variable)

; source ./x and . ./x
(command name: (command_name (word) @keyword) . argument: [(word) (string) (raw_string) (concatenation)] @path) @import

; Every command may be a function of ours; so may what trap is given.
(command name: (command_name (word) @name)) @ref.call
(command name: (command_name (word) @keyword) . argument: (word) @name) @ref.call

(comment) @comment
