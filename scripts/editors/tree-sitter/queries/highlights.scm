(comment) @comment
(shebang) @keyword.directive
(string) @string
(template) @string
(hole "{" @punctuation.special "}" @punctuation.special)
(number) @number
(boolean) @boolean
(null) @constant.builtin

["let" "type" "protocol" "send" "recv" "call" "loop" "end" "use" "as" "param" "test" "of" "from" "spawn" "channel" "agent" "tool" "plumb"] @keyword
["if" "then" "else" "match"] @keyword.conditional
["for" "in"] @keyword.repeat
["and" "or" "not"] @keyword.operator
["untrusted" "secret"] @keyword.modifier
["map" "filter" "project" "each" "batch" "fold" "trace"] @function.builtin
(keyed_barrier "barrier" @function.builtin)
(plain_morphism) @function.builtin
(crossing) @function.builtin
["parallel" "on_error" "within" "max" "until"] @property
["holds" "when" "matches"] @property

[";" "*" "+" "-" "/" "%" "=" "!=" "<" "<=" ">" ">=" "??" "->" "→" "|" "!" "&&" "||" "..." "?"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":" "."] @punctuation.delimiter

(annotation "@" @attribute name: (identifier) @attribute)
(type_declaration name: (identifier) @type)
(named_type (identifier) @type)
((named_type (identifier) @type.builtin) (#any-of? @type.builtin "string" "int" "number" "bool" "unit" "json"))
(binding name: (identifier) @function)
(param name: (identifier) @constant)
(param_name (identifier) @constant)
(channel name: (identifier) @variable)
(plumb parameter: (identifier) @variable.parameter)
(reference name: (identifier) @variable)
(variable (identifier) @variable)
(loop name: (identifier) @variable.parameter)
(function parameter: (identifier) @variable.parameter)
(call function: (variable (identifier) @function))
(field_type name: (identifier) @property)
(field field: (identifier) @property)
(member field: (identifier) @property)
(record_field name: (identifier) @property)
(shorthand (identifier) @property)
(entry key: (identifier) @property)
(argument name: (identifier) @variable)
