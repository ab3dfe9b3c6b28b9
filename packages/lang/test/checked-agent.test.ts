// The agent that a parent hands to its child: read as it was written, and nothing else.

import fc from 'fast-check'
import t from 'tap'
import { holds } from '../../wire/test/property.js'
import { readAgent, writeAgent } from '../src/program/agent-json.js'
import { agentsOf } from '../src/program/agent-plan.js'
import { checkedAgent } from '../src/program/checked-agent.js'
import { readTypes, TypeWriter } from '../src/program/type-table.js'
import { isEqual } from '../src/types/equal.js'
import { printType } from '../src/types/print.js'
import { toSchema } from '../src/types/schema.js'
import type { Json } from '../src/types/type.js'
import { arbitraryType } from './arbitrary-type.js'
import { compileText } from './reports.js'

t.test('a table of types is read as it was written', async (t) => {
  await holds(
    t,
    fc.property(arbitraryType({ withDefaults: true, withLimits: true }), arbitraryType(), (one, other) => {
      const writer = new TypeWriter()
      const indexes = [one, other, one].map(writer.add)
      const types = readTypes(JSON.parse(JSON.stringify(writer.table)))
      return [one, other, one].every((type, i) => {
        const read = types?.[indexes[i] ?? -1]
        return (
          read &&
          isEqual(type, read) &&
          printType(type) === printType(read) &&
          JSON.stringify(toSchema(type)) === JSON.stringify(toSchema(read))
        )
      })
    }),
  )
})

t.test('a type that occurs often is written once', async (t) => {
  let text = 'type T0 = { a: int }\n'
  for (let i = 1; i < 60; i++) text += `type T${i} = (T${i - 1}, T${i - 1})\n`
  const { program } = compileText(`${text}let a : !T59 -> !T59 = agent { model: "m" }`)
  const [agent] = agentsOf(program).map((plan) => writeAgent(checkedAgent(plan, [])))
  t.ok(agent && JSON.stringify(agent).length < 10_000)
})

const SPEC = `type Tree = { value: int, children: [Tree] }
let bot : !Tree -> !("yes" | "no") = agent { provider: "eliza", model: "doctor", max_tokens: 7 }`

t.test('what is not an agent is refused', async (t) => {
  const [plan] = agentsOf(compileText(SPEC).program)
  if (!plan) throw new Error('no agent')
  const written = JSON.stringify(writeAgent(checkedAgent(plan, [])))
  t.ok(readAgent(JSON.parse(written)).ok)
  const broken: readonly (readonly [string, unknown])[] = [
    ['nothing', undefined],
    ['null', null],
    ['a text', 'agent'],
    ['a list', []],
    ...[
      ['another version', '"version":2', '"version":3'],
      ['no version', '"version":2,', ''],
      ['a type beyond the table', '"input":', '"input":9'],
      ['a type of no kind', '"kind":"array"', '"kind":"list"'],
      ['a part behind what it is made of', '"item":0', '"item":5'],
      ['a name that stands for itself', '"name":"Tree","target":3', '"name":"Tree","target":0'],
      ['a config that is not an object', '"config":{', '"config":[{}],"other":{'],
      ['a list as config', '"config":{"provider":"eliza","model":"doctor","max_tokens":7}', '"config":[]'],
      ['one key more', '"hasTelemetry":false', '"hasTelemetry":false,"more":1'],
      ['one key less', '"hasTelemetry":false,', ''],
    ].map(([name = '', part = '', other = '']) => {
      if (!written.includes(part)) throw new Error(`${name}: no ${part} in ${written}`)
      return [name, JSON.parse(written.replace(part, other)) as Json] as const
    }),
  ]
  for (const [name, json] of broken) {
    const read = readAgent(json)
    t.match(read, { ok: false, error: { error: 'fd_invalid', detail: /^the agent that was handed over cannot be read: ./ } }, name)
  }
})
