// The types of a spec as one JSON Schema, and its processes by their inputs and outputs.

import { describeSchema, type Json, type JsonSchema, type NamedType, type SpecTypes } from '@plumb/lang'

export const toJsonSchema = ({ types, bindings, labelOf }: SpecTypes): string => {
  const refer = (type: NamedType): JsonSchema => {
    const label = labelOf(type)
    return label === undefined ? { $ref: `#/$defs/${type.name}` } : { ...describeSchema(type.target, refer), 'x-plumb-label': label }
  }
  const definitions = types.map((type) => [type.name, describeSchema(type.target, refer)] as const)
  const served = bindings.map(({ name, description, input, output, answers, keeps }) => {
    const schemas = { input: describeSchema(input, refer), output: describeSchema(output, refer) }
    return [name, { ...(description === undefined ? {} : { description }), ...schemas, answers, keeps }] as const
  })
  const whole: Json = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: Object.fromEntries(definitions),
    'x-plumb-bindings': Object.fromEntries(served),
  }
  return `${JSON.stringify(whole, undefined, 2)}\n`
}
