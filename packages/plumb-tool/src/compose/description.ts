// The description of compose for a model: the notation, kept short since it is paid for at each turn, and the tools as types.

import { type ChainTool, namesWithin, printType, type Type } from '@plumb/lang'

/** Under 300 tokens. */
export const NOTATION = `Runs a chain of tools in one call; only its result comes back.
f ; g    g on what f gives
f * g    both on the same input: [f's, g's]
f + g    g if f fails
each(f)    f on every element of a list
map(e)    an expression: fields by name, the whole as value
trace(f, until: e)    f on its own output until e holds
Expressions: value.a.b, xs[0], [x.url for x in xs if x.n > 3], { a: x, ...value }, $"text {x}", if c then a else b, = != < > and or not + - * /, a ?? b if a is missing; length sum min max sort(xs, x -> x.n) unique join(xs, ", ") split contains lower text round.
Example: search ; map([h.url for h in hits]) ; each(fetch ; map(slice(value, 0, 500))) ; map(join(value, "\\n"))
The input is what the first tool takes. Types are checked before anything runs; fix what is reported and call again. At most 64 calls.`

/** The input of compose. */
export const COMPOSE_INPUT: Type = {
  kind: 'record',
  fields: [
    { name: 'chain', type: { kind: 'string' }, isOptional: false, description: 'at most 4096 bytes' },
    { name: 'input', type: { kind: 'json' }, isOptional: true, description: 'what its first tool takes' },
  ],
}

/** `search : { text: string } -> [Hit]`, and after the tools the named types, each once. */
export const signaturesOf = (tools: readonly ChainTool[]): string => {
  const types = new Map<string, Type>()
  const named = namesWithin(tools.flatMap(({ input, output }) => [input, output]))
  for (const { name, target } of named) if (!types.has(name)) types.set(name, target)
  const lines = tools.map(({ name, input, output }) => `${name} : ${printType(input)} -> ${printType(output)}`)
  return [...lines, ...[...types].map(([name, target]) => `type ${name} = ${printType(target)}`)].join('\n')
}

export const composeDescription = (tools: readonly ChainTool[]): string => `${NOTATION}\nTools:\n${signaturesOf(tools)}`
