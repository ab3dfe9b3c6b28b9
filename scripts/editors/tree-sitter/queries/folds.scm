[(object) (body) (record_type) (record) (list) (list_expression) (comment)] @fold
