// The end of a conversation that is the control channel of an agent which plumb-agent runs: it takes commands and sends replies.

import { error, type Report } from '../diagnostic/diagnostic.js'
import type { Bound, EndPoint } from '../names/names.js'
import { printType } from '../types/print.js'
import { resolve, type Type } from '../types/type.js'
import { variantsOf } from '../types/variants.js'

/** As plumb-agent(1) lists them, with what may stand beside them. */
const COMMANDS: ReadonlySet<string> = new Set(
  'set_temp set_model set_effort stop pause resume cancel get_memory set_memory if_memory conversation approve deny edit input'.split(' '),
)

/** A program of others may hear and say anything. */
export const checkControlEnd = ({ name, ends }: Bound, isProgram: boolean, report: Report): void => {
  if (isProgram) return
  for (const end of ends.values()) {
    const wrong = messagesOf(end, true).find((type) => !variantsOf(type).every(isCommand))
    const odd = messagesOf(end, false).find((type) => !variantsOf(type).every(isReply))
    const help = "its messages are those of control, as in the library: 'use mem', and '~Mem.Control'"
    const tell = (message: string) => report(error('protocol_invalid', message, end.span, help))
    if (wrong) tell(`to agent '${name}' come commands, and '${end.protocol.name}' has it hear '${printType(wrong, MAX)}'`)
    else if (odd) tell(`agent '${name}' says replies to control, and '${end.protocol.name}' has it say '${printType(odd, MAX)}'`)
  }
}

const MAX = 80

const messagesOf = ({ protocol: { automaton, messages }, isDual }: EndPoint, isHeard: boolean): readonly Type[] => {
  const kind = isHeard === isDual ? 'send' : 'recv'
  const edges = (automaton?.states ?? []).flatMap(({ edges }) => edges)
  return edges.flatMap((edge) => (edge.kind === kind && edge.message !== undefined ? (messages[edge.message] ?? []) : []))
}

const isCommand = (type: Type): boolean => {
  const whole = resolve(type)
  return (
    whole.kind === 'json' ||
    (whole.kind === 'record' && whole.fields.some(({ name }) => COMMANDS.has(name)) && whole.fields.every(({ name }) => COMMANDS.has(name)))
  )
}

const isReply = (type: Type): boolean => {
  const whole = resolve(type)
  return whole.kind === 'json' || (whole.kind === 'record' && whole.fields.some(({ name }) => name === 'kind'))
}
