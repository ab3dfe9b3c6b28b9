// What a model reads of a tool whose spec does not describe it: what that which it is made of says of itself.

import { type Field, resolve, type ToolPlan, type Type } from '@plumb/lang'
import { builtinDeclaration } from './builtin/declarations.js'

/** What a tool's source says of itself. */
export interface OwnWords {
  readonly description?: string | undefined
  /** Its fields may have descriptions. */
  readonly input: Type
}

/** With the words of the built-in that it is, where it has none, for itself and for each field of its input. */
export const describedPlan = (plan: ToolPlan): ToolPlan => {
  const { body } = plan
  if (body.kind !== 'tool' || body.source !== 'builtin') return plan
  const declared = builtinDeclaration(String(body.config.builtin))
  return !declared || declared.bound === plan.bound ? plan : withOwnWords(plan, declared)
}

export const withOwnWords = (plan: ToolPlan, words: OwnWords): ToolPlan => {
  const said = plan.description ?? words.description
  return { ...plan, ...(said === undefined ? {} : { description: said }), input: withDescriptions(plan.input, words.input) }
}

const withDescriptions = (type: Type, declared: Type): Type => {
  const [own, other] = [resolve(type), resolve(declared)]
  if (own.kind !== 'record' || other.kind !== 'record') return type
  const known = new Map(other.fields.map((field) => [field.name, field.description]))
  const isSilent = ({ name, description }: Field): boolean => description === undefined && known.get(name) !== undefined
  if (!own.fields.some(isSilent)) return type
  return {
    ...own,
    fields: own.fields.map((field) => (isSilent(field) ? { ...field, description: known.get(field.name) as string } : field)),
  }
}
