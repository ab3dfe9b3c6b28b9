// The protocol that --protocol names: of the file, or of a module that it uses.

import type { Program } from '@plumb/lang'
import { fail, nearest, preview, type Result, succeed } from '@plumb/wire'
import type { Automaton } from '@plumb/wire/protocol'

const MAX_LIST = 400

/** `name`, or `Module.name`; only for a program without errors. */
export const protocolNamed = ({ entry }: Program, name: string): Result<Automaton> => {
  const [first = '', second] = name.split('.')
  const scope = second === undefined ? entry : entry.modules.get(first)
  const automaton = scope?.protocols.get(second ?? first)?.automaton
  if (automaton) return succeed(automaton)
  const known = [
    ...entry.protocols.keys(),
    ...[...entry.modules].flatMap(([module, { protocols }]) => [...protocols.keys()].map((one) => `${module}.${one}`)),
  ]
  const near = nearest(name, known)
  const others = known.length === 0 ? 'it has none' : `its protocols are ${preview(known.join(', '), MAX_LIST)}`
  return fail(
    'unknown_name',
    `the spec has no protocol '${preview(name)}'${near === undefined ? ` (${others})` : `; did you mean '${near}'?`}`,
  )
}
