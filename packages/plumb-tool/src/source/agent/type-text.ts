// Prints types for a spec of their own: every named type that they use is declared again.

import { type Field, type Type, unreachable } from '@plumb/lang'

export class TypePrinter {
  /** Lines `type NAME = …`, to precede the bindings that use them. */
  readonly declarations: string[] = []
  readonly #names = new Map<Type, string>()

  of(type: Type): string {
    switch (type.kind) {
      case 'literal':
        return JSON.stringify(type.value)
      case 'array':
        return `[${this.of(type.item)}]`
      case 'map':
        return `{ [string]: ${this.of(type.item)} }`
      case 'tuple':
        return `(${type.items.map((item) => this.of(item)).join(', ')})`
      case 'sum':
        return `(${type.variants.map((variant) => this.of(variant)).join(' | ')})`
      case 'record':
        return type.fields.length === 0 ? '{}' : `{ ${type.fields.map((field) => this.#field(field)).join(', ')} }`
      case 'named': {
        const known = this.#names.get(type.target)
        if (known !== undefined) return known
        const name = `${type.name.replace(/\W/g, '_')}_${this.#names.size + 1}`
        // Registered before its definition is printed, since it may be recursive.
        this.#names.set(type.target, name)
        this.declarations.push(`type ${name} = ${this.of(type.target)}`)
        return name
      }
      case 'string':
      case 'int':
      case 'number':
      case 'bool':
      case 'unit':
      case 'json':
        return type.kind
      default:
        return unreachable(type)
    }
  }

  #field({ name, type, isOptional, default: text, description, min, max }: Field): string {
    const notes = [
      description === undefined ? '' : `@description ${JSON.stringify(description)} `,
      min === undefined ? '' : `@min ${min} `,
      max === undefined ? '' : `@max ${max} `,
    ].join('')
    const isQuestion = isOptional || text !== undefined
    return `${notes}${name}${isQuestion ? '?' : ''}: ${this.of(type)}${text === undefined ? '' : ` = ${text}`}`
  }
}
