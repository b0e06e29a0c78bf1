; The keys of a document and the keys under them.
(document (block_node (block_mapping (block_mapping_pair key: (_) @name) @def.key)))
(document (block_node (block_mapping (block_mapping_pair
  value: (block_node (block_mapping (block_mapping_pair key: (_) @name) @def.key))))))

(comment) @comment
