// The laws of composition (plumb-tools(7), How tools combine): what to build of tools on the left and on the right of the equals sign.

import { isWirable, type Type } from '@plumb/lang'
import { type Result, succeed } from '@plumb/wire'
import type { Tool } from '../call/tool.js'
import { choice, each, product, sequence, trace } from '../combine/compose.js'

export interface Law {
  readonly text: string
  /** Holds for all tools whose types fit, in the order of the tools. */
  readonly instances: (tools: readonly Tool[]) => Iterable<Instance>
}

export interface Instance {
  /** Which tools it applies to. */
  readonly about: readonly Tool[]
  readonly left: Result<Tool>
  readonly right: Result<Tool>
  /** Does not apply to inputs for which the right side fails. */
  readonly isWhereRightSucceeds?: boolean
}

const listOf = (item: Type): Type => ({ kind: 'array', item })

const identity = (type: Type): Tool => ({ name: 'id', input: type, output: type, run: async (input) => succeed(input) })

/** Tools that take the tool's output. */
const after = ({ output }: Tool, tools: readonly Tool[]): Tool[] => tools.filter((next) => isWirable(output, next.input) === 'static')

/** Tools with the same input and output types. */
const alike = (tool: Tool, tools: readonly Tool[]): Tool[] => tools.filter((other) => isAlike(tool.input, other.input))

const isAlike = (a: Type, b: Type): boolean => isWirable(a, b) === 'static' && isWirable(b, a) === 'static'

const then = (left: Result<Tool>, combine: (tool: Tool) => Result<Tool>): Result<Tool> => (left.ok ? combine(left.value) : left)

const both = (left: Result<Tool>, right: Result<Tool>, combine: (a: Tool, b: Tool) => Result<Tool>): Result<Tool> =>
  then(left, (a) => then(right, (b) => combine(a, b)))

/** Pairs that can be combined, with those that may follow another. */
function* associative(
  tools: readonly Tool[],
  next: (tool: Tool, tools: readonly Tool[]) => readonly Tool[],
  combine: (tools: readonly [Tool, Tool]) => Result<Tool>,
): Iterable<Instance> {
  for (const f of tools)
    for (const g of next(f, tools))
      for (const h of next(g, tools)) {
        const left = then(combine([f, g]), (fg) => combine([fg, h]))
        yield { about: [f, g, h], left, right: then(combine([g, h]), (gh) => combine([f, gh])) }
      }
}

export const LAWS: readonly Law[] = [
  {
    text: 'id ; f = f',
    *instances(tools) {
      for (const f of tools) yield { about: [f], left: sequence([identity(f.input), f]), right: succeed(f) }
    },
  },
  {
    text: 'f ; id = f',
    *instances(tools) {
      for (const f of tools) yield { about: [f], left: sequence([f, identity(f.output)]), right: succeed(f) }
    },
  },
  {
    text: '(f ; g) ; h = f ; (g ; h)',
    instances: (tools) => associative(tools, after, sequence),
  },
  {
    text: '(f * g) ; (h * k) = (f ; h) * (g ; k)',
    *instances(tools) {
      for (const f of tools)
        for (const g of alike(f, tools))
          for (const h of after(f, tools))
            for (const k of after(g, tools)) {
              const left = both(product([f, g]), product([h, k], { isOnParts: true }), (fg, hk) => sequence([fg, hk]))
              yield { about: [f, g, h, k], left, right: both(sequence([f, h]), sequence([g, k]), (fh, gk) => product([fh, gk])) }
            }
    },
  },
  {
    text: 'f + g = f where f succeeds',
    *instances(tools) {
      for (const f of tools)
        for (const g of alike(f, tools)) yield { about: [f, g], left: choice([f, g]), right: succeed(f), isWhereRightSucceeds: true }
    },
  },
  {
    text: '(f + g) + h = f + (g + h)',
    instances: (tools) => associative(tools, alike, choice),
  },
  {
    text: 'trace(id) = id',
    *instances(tools) {
      for (const f of tools) yield { about: [f], left: trace(identity(f.input)), right: succeed(identity(f.input)) }
    },
  },
  {
    text: 'each(id) = id',
    *instances(tools) {
      for (const f of tools) yield { about: [f], left: succeed(each(identity(f.input))), right: succeed(identity(listOf(f.input))) }
    },
  },
  {
    text: 'each(f ; g) = each(f) ; each(g)',
    *instances(tools) {
      for (const f of tools)
        for (const g of after(f, tools)) {
          yield { about: [f, g], left: then(sequence([f, g]), (fg) => succeed(each(fg))), right: sequence([each(f), each(g)]) }
        }
    },
  },
]
