" Colours of plumb specs: comments nest, templates hold expressions, and a name before a colon is a key.
if exists('b:current_syntax')
  finish
endif
syntax sync minlines=200
syntax case match

syntax match plumbShebang /\%^#!.*/
syntax region plumbComment start=/(\*/ end=/\*)/ contains=plumbComment,plumbTodo,@Spell
syntax keyword plumbTodo contained TODO FIXME NOTE

syntax match plumbEscape contained /\\\(["\\\/bfnrt]\|u\x\{4}\)/
syntax region plumbHole contained matchgroup=plumbDelimiter start=/{/ end=/}/ contains=TOP
syntax match plumbBrace contained /{{\|}}/
syntax region plumbString start=/"/ skip=/\\./ end=/"/ oneline contains=plumbEscape,@Spell
syntax region plumbString start=/"""/ skip=/\\./ end=/"""/ contains=plumbEscape,@Spell
syntax region plumbTemplate start=/\$"/ skip=/\\./ end=/"/ oneline contains=plumbEscape,plumbBrace,plumbHole,@Spell
syntax region plumbTemplate start=/\$"""/ skip=/\\./ end=/"""/ contains=plumbEscape,plumbBrace,plumbHole,@Spell

syntax match plumbNumber /\<\(0\|[1-9]\d*\)\(\.\d\+\)\?\([eE][+-]\?\d\+\)\?\>/
syntax match plumbOperator /\.\.\.\|->\|→\|??\|&&\|||\|!=\|<=\|>=\|[;*+=|<>!~%\/-]/
syntax match plumbAnnotation /@\s*\h\w*/

syntax match plumbFunction /\<\h\w*\ze(/
syntax match plumbDeclaration /\<\(let\|type\|use\|protocol\)\>\(\s*?\?:\)\@!/
syntax match plumbDeclaration /\<param\ze\s\+\h\w*\s*:/
syntax match plumbDeclaration /\<test\ze\s*"/
syntax match plumbDeclaration /\("\s*\)\@<=of\>/
syntax match plumbDeclaration /\<as\ze\s\+\h\w*/
syntax match plumbImplementation /\<\(agent\|tool\|plumb\|spawn\|channel\)\>\(\s*?\?:\)\@!/
syntax match plumbMorphism /\<\(id\|map\|filter\|project\|copy\|merge\|discard\|empty\|barrier\|each\|flatten\|batch\|fold\|trace\)\>\(\s*?\?:\)\@!/
syntax match plumbMorphism /\<\(endorse\|declassify\)\ze\s*(/
syntax match plumbStep /\<\(send\|recv\|call\)\ze\s\+[A-Za-z_"[({]/
syntax match plumbStep /\([{,=.]\s*\)\@<=\<\(loop\|end\)\>\(\s*:\)\@!/
syntax match plumbConditional /\<\(if\|then\|else\)\>\(\s*?\?:\)\@!/
syntax match plumbRepeat /\<\(for\|in\)\>\(\s*?\?:\)\@!/
syntax match plumbWord /\<\(and\|or\|not\)\>\(\s*?\?:\)\@!/
syntax match plumbBoolean /\<\(true\|false\|null\)\>\(\s*?\?:\)\@!/
syntax match plumbType /\<\(string\|int\|number\|bool\|unit\|json\)\>\(\s*?\?:\)\@!/
syntax match plumbLabel /\<\(untrusted\|secret\)\ze\s*["\[({A-Za-z_]/
syntax match plumbTypeName /\<\u\w*\>/
" A field, a key or a port may have any name.
syntax match plumbKey /\<\h\w*\ze\s*?\?:/
syntax match plumbField /\.\s*\h\w*/hs=s+1

highlight default link plumbShebang PreProc
highlight default link plumbComment Comment
highlight default link plumbTodo Todo
highlight default link plumbEscape SpecialChar
highlight default link plumbBrace SpecialChar
highlight default link plumbString String
highlight default link plumbTemplate String
highlight default link plumbDelimiter Special
highlight default link plumbNumber Number
highlight default link plumbOperator Operator
highlight default link plumbAnnotation PreProc
highlight default link plumbDeclaration Statement
highlight default link plumbImplementation Structure
highlight default link plumbMorphism Function
highlight default link plumbConditional Conditional
highlight default link plumbStep Statement
highlight default link plumbRepeat Repeat
highlight default link plumbWord Operator
highlight default link plumbBoolean Boolean
highlight default link plumbType Type
highlight default link plumbLabel StorageClass
highlight default link plumbFunction Function
highlight default link plumbTypeName Type
highlight default link plumbKey Identifier
highlight default link plumbField Identifier
let b:current_syntax = 'plumb'
