// `grammar.peg`: the language of .plumb files as a parsing expression grammar, for agents that write programs.

export const grammar = String.raw`# The plumbing language. White space, newlines and (* nested comments *) may stand between any two tokens, except where a comment
# here says otherwise. A first line that begins with #! is skipped.

Program     <- (Use / TypeDecl / Binding)* End
Use         <- 'use' (Ident / String) ('as' Ident)?
TypeDecl    <- 'type' Ident '=' Type
Binding     <- Annotation* 'let' Ident (':' Ports Arrow Ports)? '=' Impl
Annotation  <- '@' Ident Literal?
Arrow       <- '->' / '→'
Ports       <- Port / '(' (Port (',' Port)*)? ')'
Port        <- '!' Type / Type
Impl        <- 'agent' Config / 'tool' Config / Plumb / Config / Chain

# In a body, outside parentheses, a new line begins a new statement unless it starts with one of ; * + or the last one ended with one.
Plumb       <- 'plumb' '(' Ident (',' Ident)* ')' '{' Statement* '}'
Statement   <- 'let' Ident ':' Port '=' 'channel'
             / 'spawn' Name '(' Argument (',' Argument)* ')'
             / Chain
Argument    <- Ident '=' Ident / Ident

Chain       <- Tensor (';' Tensor)*
Tensor      <- Choice ('*' Choice)*
Choice      <- Element ('+' Element)*
Element     <- Atom ('.' Ident)*
Atom        <- 'id' / 'copy' / 'merge' / 'discard' / 'empty' / 'barrier'
             / 'map' '(' Expr ')' / 'filter' '(' Expr ')' / 'project' '(' Integer ')'
             / 'trace' '(' Chain (',' Ident ':' (Value / Expr))* ')'
             / Name ('@' Ident)?            # the @ follows the name without white space
             / '(' Chain ')'
Name        <- Ident ('.' Ident)?

Config      <- '{' (Entry (','? Entry)* ','?)? '}'
Entry       <- (Ident / String) ':' Value
Value       <- Literal / '[' (Value (',' Value)*)? ']' / Config / Name
Literal     <- String / '-'? Number / 'true' / 'false' / 'null'

Type        <- Alternative ('|' Alternative)*
Alternative <- 'string' / 'int' / 'number' / 'bool' / 'unit' / 'json'
             / String / Name / '[' Type ']'
             / '(' Type (',' Type)+ ')' / '(' Type ')'
             / '{' (Field (',' Field)* ','?)? '}'
Field       <- Annotation* Ident '?'? ':' Type ('=' Literal)?

Expr        <- 'if' Expr 'then' Expr 'else' Expr / Default
Default     <- Or ('??' Or)*
Or          <- And (('or' / '||') And)*
And         <- Not (('and' / '&&') Not)*
Not         <- ('not' / '!') Not / Comparison
Comparison  <- Sum (('!=' / '<=' / '>=' / '=' / '<' / '>') Sum)?
Sum         <- Product (('+' / '-') Product)*
Product     <- Unary (('*' / '/' / '%') Unary)*
Unary       <- '-' Unary / Postfix
Postfix     <- Primary ('.' Ident / '[' Expr ']')*
Primary     <- String / Number / 'true' / 'false' / 'null'
             / Ident '(' (Expr (',' Expr)*)? ')' / Ident
             / '{' (Part (',' Part)* ','?)? '}' / '[' (Expr (',' Expr)*)? ']' / '(' Expr ')'
Part        <- '...' Expr / Ident ':' Expr / Ident

Ident       <- [A-Za-z_][A-Za-z0-9_]*       # types and modules begin upper-case, bindings lower-case
String      <- '"""' (!'"""' .)* '"""' / '"' ('\\' . / [^"\\])* '"'
Number      <- Integer ('.' [0-9]+)? ([eE] [+-]? [0-9]+)?
Integer     <- '0' / [1-9] [0-9]*
End         <- !.
`
