; A heading runs to the next one of its level or above.
(atx_heading [
  (atx_h1_marker) @level
  (atx_h2_marker) @level
  (atx_h3_marker) @level
  (atx_h4_marker) @level
  (atx_h5_marker) @level
  (atx_h6_marker) @level
] heading_content: (_) @name) @def.heading
(setext_heading heading_content: (_) @name [(setext_h1_underline) @level (setext_h2_underline) @level]) @def.heading

(minus_metadata) @head
(plus_metadata) @head
