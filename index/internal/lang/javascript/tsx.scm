; TypeScript with JSX.

(jsx_opening_element name: (identifier) @ref.call @element)
(jsx_self_closing_element name: (identifier) @ref.call @element)
(jsx_opening_element name: (member_expression object: (_) @receiver property: (_) @ref.call))
(jsx_self_closing_element name: (member_expression object: (_) @receiver property: (_) @ref.call))
