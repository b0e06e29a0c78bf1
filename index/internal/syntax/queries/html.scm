; Headings, and elements with an id: the tag's or the attribute's name decides.
(element (start_tag (tag_name) @keyword) . (text) @name) @def.heading
(element (start_tag (attribute (attribute_name) @keyword [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))) @def.key

; <script src> and <link href>; other attributes fall out in the rules.
(script_element (start_tag (attribute (attribute_name) @keyword (quoted_attribute_value (attribute_value) @path)))) @import
(element (start_tag (tag_name) @keyword (attribute (attribute_name) (quoted_attribute_value (attribute_value) @path)))) @import

(comment) @comment
