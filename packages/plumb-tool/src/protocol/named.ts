// The protocol that a command line names: it is declared in a spec, and holds for the tools that are served.

import type { Program, ToolProtocol } from '@plumb/lang'
import { type Fault, fail, nearest, preview, type Result, succeed } from '@plumb/wire'
import { labelsOf } from '@plumb/wire/protocol'

/** `name`: NAME, or Module.NAME for one of a module that a spec uses. What it does not name is free. */
export const namedProtocol = (programs: readonly Program[], name: string): Result<ToolProtocol> => {
  const all = programs.map(protocolsOf)
  const [found, another] = all.flatMap((protocols) => protocols.get(name) ?? [])
  if (!found) return fail('unknown_name', `no protocol is named '${preview(name)}'${hintFor(name, all)}`)
  if (another) return fail('duplicate_name', `two specs declare a protocol '${preview(name)}': rename one`)
  if (found.use === 'processes' || !found.automaton) {
    return fail('protocol_invalid', `'${preview(name)}' is for messages between processes: a protocol of tools has no 'send' or 'recv'`)
  }
  return succeed({ automaton: found.automaton, isPerConversation: true })
}

/** The tools that it names and that are not there. */
export const lackedBy = ({ automaton }: ToolProtocol, tools: Iterable<string>): readonly Fault[] => {
  const names = [...tools]
  const has = new Set(names)
  return labelsOf(automaton).flatMap((tool) => {
    if (has.has(tool)) return []
    const near = nearest(tool, names)
    const hint =
      near === undefined ? `there are ${names.length === 0 ? 'none' : preview(names.join(', '), 200)}` : `did you mean '${near}'?`
    const { error } = fail(
      'protocol_invalid',
      `protocol '${automaton.name}' names '${preview(tool)}', and no tool of that name is served: ${hint}`,
    )
    return [error]
  })
}

type Protocols = Program['entry']['protocols']

const protocolsOf = ({ entry }: Program): Protocols =>
  new Map([
    ...entry.protocols,
    ...[...entry.modules].flatMap(([module, { protocols }]) => [...protocols].map(([name, one]) => [`${module}.${name}`, one] as const)),
  ])

const hintFor = (name: string, all: readonly Protocols[]): string => {
  const names = all.flatMap((protocols) => [...protocols.keys()])
  const near = nearest(name, names)
  if (near !== undefined) return `, did you mean '${near}'?`
  return names.length === 0 ? ': a spec declares it, as in protocol NAME = { … }' : `; there are ${preview(names.join(', '), 200)}`
}
