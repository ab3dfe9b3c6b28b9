// Where what a function declares of its input contradicts the signature of its tool, so that no call, or not each, could be right.

import { findShared, isPresent, printType, resolve, type Type } from '@plumb/lang'

/** As words that show both; undefined: they can go together. `declared` is never narrower than what the function says. */
export const findContradiction = (signature: Type, declared: Type): string | undefined => {
  const [own, other] = [resolve(signature), resolve(declared)]
  if (own.kind !== 'record' || other.kind !== 'record')
    return findShared(own, other) === undefined ? `'${printType(declared)}', and the signature says '${printType(signature)}'` : undefined
  const fields = new Map(own.fields.map((field) => [field.name, field]))
  for (const { name, type, isOptional, default: standIn } of other.fields) {
    const said = fields.get(name)
    const declares = `'${name}: ${printType(type)}'`
    if (said && findShared(said.type, type) === undefined) return `${declares}, and the signature says '${name}: ${printType(said.type)}'`
    if (isOptional || standIn !== undefined) continue
    if (!said && own.isOpen !== true) return `${declares}, which has no default, and the signature has no field '${name}'`
    if (said && !isPresent(said))
      return `${declares}, which has no default, and the signature says that it may be left out: '${name}?: ${printType(said.type)}'`
  }
  return undefined
}
