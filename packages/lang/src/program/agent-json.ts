// A checked agent as JSON: a parent that is plumb, which has checked the spec, hands it to plumb-agent.

import { parseTree } from '@plumb/wire/json'
import { fail, type Result, succeed } from '@plumb/wire/result'
import { EFFECTS } from '../check/rules.js'
import { BOOL, INT, JSON_TYPE, type Json, NUMBER, STRING, type Type } from '../types/type.js'
import { checkTree, describeMismatch } from '../validate/check-tree.js'
import type { CheckedAgent, CheckedTool } from './checked-agent.js'
import { listType, literalTypes, readTypes, recordType, type TypeTable, TypeWriter, typeOfTable } from './type-table.js'

/** The version of `writeAgent`'s format: increase it with each change. */
const VERSION = 2

/** With all types in one table. */
export const writeAgent = (agent: CheckedAgent): Json => {
  const types = new TypeWriter()
  const withIndexes = <T extends { readonly input: Type; readonly output: Type }>(typed: T) => ({
    ...typed,
    input: types.add(typed.input),
    output: types.add(typed.output),
  })
  const written = { ...withIndexes(agent), tools: agent.tools.map(withIndexes) }
  return { version: VERSION, types: types.table, agent: written } as unknown as Json
}

/** Parses the output of `writeAgent`; anything else is refused. */
export const readAgent = (json: unknown): Result<CheckedAgent> => {
  const bytes = Buffer.from(JSON.stringify(json) ?? '')
  const tree = parseTree(bytes, 0, bytes.length)
  const mismatch = tree.kind === 'fault' ? tree.detail : checkTree(typeOfWritten(), bytes, tree)
  if (mismatch) return refuse(typeof mismatch === 'string' ? mismatch : describeMismatch(mismatch))
  const { version, types: table, agent } = json as Written
  if (version !== VERSION) return refuse(`its version is ${version}, and ${VERSION} is understood`)
  if (typeof agent.config !== 'object' || agent.config === null || Array.isArray(agent.config)) return refuse('its config is not an object')
  const types = readTypes(table)
  const typed = [agent, ...agent.tools].map(({ input, output }) => ({ input: types?.[input], output: types?.[output] }))
  const isTyped = (pair: (typeof typed)[number]): pair is { input: Type; output: Type } =>
    pair.input !== undefined && pair.output !== undefined
  const [own, ...ofTools] = typed.filter(isTyped)
  if (!own || ofTools.length < agent.tools.length) return refuse('a type of it is not in its table')
  return succeed({ ...agent, ...own, tools: agent.tools.map((tool, i) => ({ ...tool, ...(ofTools[i] as typeof own) })) })
}

const refuse = (why: string) => fail('fd_invalid', `the agent that was handed over cannot be read: ${why}`)

type Indexed<T> = Omit<T, 'input' | 'output'> & { readonly input: number; readonly output: number }

interface Written {
  readonly version: number
  readonly types: TypeTable
  readonly agent: Indexed<Omit<CheckedAgent, 'tools'>> & { readonly tools: readonly Indexed<CheckedTool>[] }
}

const toolEffects = (): Readonly<Record<string, Type>> => ({
  name: STRING,
  effects: listType(literalTypes(...EFFECTS)),
  needsApproval: BOOL,
})

/** The same as a type of the language, against which it is checked. */
const typeOfWritten = (): Type =>
  recordType({
    version: INT,
    types: typeOfTable(),
    agent: recordType(
      {
        name: STRING,
        binding: STRING,
        specPath: STRING,
        input: INT,
        output: INT,
        hasTelemetry: BOOL,
        config: JSON_TYPE,
        tools: listType(
          recordType({
            ...toolEffects(),
            description: STRING,
            input: INT,
            output: INT,
            parts: listType(recordType(toolEffects())),
            timeoutMs: NUMBER,
          }),
        ),
        serverVariables: listType(STRING),
      },
      { protocol: typeOfProtocol() },
    ),
  })

const typeOfProtocol = (): Type =>
  recordType(
    {
      automaton: recordType({
        name: STRING,
        start: INT,
        states: listType(
          recordType({ mayEnd: BOOL, edges: listType(recordType({ kind: literalTypes('call', 'choose'), label: STRING, to: INT })) }),
        ),
      }),
      isPerConversation: BOOL,
    },
    { free: listType(STRING) },
  )
