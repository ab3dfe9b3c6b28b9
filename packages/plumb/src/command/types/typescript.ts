// The types of a spec in TypeScript, and its processes as methods over @plumb-lang/client.

import { type Field, type ServedBinding, type SpecTypes, type Type, unreachable } from '@plumb/lang'
import { commentLines, freeNames, isIdentifier, wordsOf } from './names.js'

// A name of the spec holds no `$`, so those of the library are told from them.
const LIBRARY = '@plumb-lang/client'

const WORDS = wordsOf(`
  break case catch class const continue debugger default delete do else enum export extends false finally for function if import in
  instanceof new null return super switch this throw true try typeof var void while with
  implements interface let package private protected public static yield await async arguments eval then
  any unknown never object symbol bigint undefined boolean string number keyof readonly unique infer asserts is abstract accessor intrinsic
`)
const OWN = new Set(['client', 'Client'])

export const toTypeScript = ({ types, bindings, labelOf }: SpecTypes, head: string): string => {
  const isTaken = (name: string): boolean => WORDS.has(name) || OWN.has(name)
  const names = freeNames(
    types.map(({ name }) => name),
    isTaken,
  )
  const methods = freeNames(
    bindings.map(({ name }) => name),
    isTaken,
  )
  const used = new Set<string>()
  const ofLibrary = (name: string): string => {
    used.add(name)
    return `$${name}`
  }
  const print = (type: Type, indent: string): string => {
    switch (type.kind) {
      case 'named': {
        const label = labelOf(type)
        if (label === undefined) return names.get(type.name) ?? type.name
        return `${ofLibrary(label === 'untrusted' ? 'Untrusted' : 'Secret')}<${print(type.target, indent)}>`
      }
      case 'string':
        return 'string'
      case 'int':
      case 'number':
        return 'number'
      case 'bool':
        return 'boolean'
      case 'unit':
        return 'null'
      case 'json':
        return ofLibrary('Json')
      case 'literal':
        return textOf(type.value)
      case 'array': {
        const item = print(type.item, indent)
        return type.item.kind === 'sum' && type.item.variants.length > 1 ? `(${item})[]` : `${item}[]`
      }
      case 'tuple':
        return `[${type.items.map((item) => print(item, indent)).join(', ')}]`
      case 'map':
        return `{ [key: string]: ${print(type.item, indent)} }`
      case 'sum':
        return type.variants.length === 0 ? 'never' : type.variants.map((variant) => print(variant, indent)).join(' | ')
      case 'record': {
        const inner = `${indent}  `
        const lines = type.fields.flatMap((field) => [
          ...comment(field.description, inner),
          `${inner}${keyOf(field)}: ${print(field.type, inner)}`,
        ])
        const all = type.isOpen ? [...lines, `${inner}[key: string]: unknown`] : lines
        return all.length === 0 ? '{ [key: string]: never }' : `{\n${all.join('\n')}\n${indent}}`
      }
      default:
        return unreachable(type)
    }
  }
  const declarations = types.map((type) => `export type ${names.get(type.name)} = ${print(type.target, '')}\n`)
  const member = ({ name, description, input, output, answers }: ServedBinding): string => {
    const of = [print(input, '  '), print(output, '  '), ...(answers === 'one' ? [] : [listOf(output, print(output, '  '))])]
    return [...comment(description, '  '), `  ${methods.get(name)}: ${ofLibrary('Method')}<${of.join(', ')}>`].join('\n')
  }
  const client =
    bindings.length === 0
      ? []
      : [
          `export interface Client {\n${bindings.map(member).join('\n')}\n}\n`,
          `export const client = (c: ${ofLibrary('Connection')}): Client => ({\n${bindings
            .map(
              ({ name }) => `  ${methods.get(name) === '__proto__' ? "['__proto__']" : methods.get(name)}: $method(c, ${textOf(name)}),\n`,
            )
            .join('')}})\n`,
        ]
  const imported = [...used].sort().map((name) => `type ${name} as $${name}`)
  if (client.length > 0) imported.push('method as $method')
  const start = imported.length === 0 ? '' : `import { ${imported.join(', ')} } from '${LIBRARY}'\n`
  const body = [start, ...declarations, ...client].filter((part) => part !== '')
  return `// ${head}\n\n${body.length === 0 ? 'export {}\n' : body.join('\n')}`
}

const keyOf = ({ name, isOptional }: Field): string => `${isIdentifier(name) ? name : textOf(name)}${isOptional ? '?' : ''}`

const listOf = (type: Type, printed: string): string => (type.kind === 'sum' ? `(${printed})[]` : `${printed}[]`)

/** As a string, all of it ASCII. */
const textOf = (text: string): string =>
  JSON.stringify(text).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const comment = (text: string | undefined, indent: string): readonly string[] => {
  const lines = text === undefined ? [] : commentLines(text.replaceAll('*/', '* /'))
  if (lines.length === 0 || lines.join('') === '') return []
  const [first, ...others] = lines
  if (others.length === 0) return [`${indent}/** ${first} */`]
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`]
}
