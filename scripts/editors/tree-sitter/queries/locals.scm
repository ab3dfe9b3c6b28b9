(plumb) @local.scope
(comprehension) @local.scope
(plumb parameter: (identifier) @local.definition)
(channel name: (identifier) @local.definition)
(loop name: (identifier) @local.definition)
(reference name: (identifier) @local.reference)
(variable (identifier) @local.reference)
