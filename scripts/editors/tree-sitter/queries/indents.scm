[(object) (body) (record_type) (record) (list) (list_expression) (parenthesized_chain) (parenthesized_expression)] @indent
["}" "]" ")"] @outdent
