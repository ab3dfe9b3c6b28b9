// Each key of each configuration is entered in the table of what it does with its value, by which flows are checked (plumb-flows(7)).

import t from 'tap'
import { agentKeys } from '../src/check/agent.js'
import type { Inner, KeyTable } from '../src/check/config.js'
import { toolKeys } from '../src/check/tool.js'
import { USES } from '../src/flow/config-uses.js'

const innersOf = (table: KeyTable): readonly Inner[] =>
  Object.values(table).flatMap(({ inner }) => (inner ? [inner, ...innersOf(inner.keys)] : []))

const TABLES = new Map<string, KeyTable>([
  ['an agent', agentKeys()],
  ['a tool', toolKeys()],
  ...[agentKeys(), toolKeys()].flatMap(innersOf).map(({ what, keys }) => [what, keys] as const),
])

t.test('each configuration', async (t) => {
  t.strictSame(Object.keys(USES).sort(), [...TABLES.keys()].sort())
})

for (const [what, table] of TABLES) {
  t.test(`the keys of ${what}`, async (t) => {
    t.strictSame(Object.keys(USES[what] ?? {}).sort(), Object.keys(table).sort(), 'enter a new key in flow/config-uses.ts')
  })
}
