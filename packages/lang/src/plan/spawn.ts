// spawn process(channel, port=channel, …): wires the ports of a process to channels and parameters, by position or by name.

import { nearest } from '@plumb/wire/nearest'
import { error, warning } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { SpawnArgument, SpawnStatement } from '../parse/ast.js'
import { ERROR_PORT } from '../types/failure.js'
import type { Process } from './graph.js'
import { reportNoPort } from './instance.js'
import type { LocalStream } from './local.js'
import type { WireContext } from './wire.js'

type Port = Process['inputs'][number] | Process['outputs'][number]

export const spawn = (s: SpawnStatement, local: ReadonlyMap<string, LocalStream>, w: WireContext): void => {
  const process = w.place({ kind: 'reference', name: s.process, span: s.process.span })
  const given = new Map<string, Span>()
  let isNamed = false
  for (const [i, argument] of s.arguments.entries()) {
    const channel = localNamed(argument, local, w)
    const { port: label, span } = argument
    if (!label && isNamed)
      w.builder.report(error('arity_mismatch', 'an argument by position comes after one by name', span, "name its port: 'port=channel'"))
    else if (process) connect(argument, channel, portFor(argument, i, process, s, w), given, w)
    if (label) isNamed = true
  }
}

const localNamed = (
  { channel: { text, span } }: SpawnArgument,
  local: ReadonlyMap<string, LocalStream>,
  w: WireContext,
): LocalStream | undefined => {
  const found = local.get(text)
  if (found) return found
  const near = nearest(text, local.keys())
  const help = near ? `did you mean '${near}'?` : `declare it: 'let ${text} : !… = channel'`
  w.builder.report(error('unknown_name', `no channel or parameter is named '${text}'`, span, help))
  return undefined
}

const portFor = (
  { port: label, channel, span }: SpawnArgument,
  place: number,
  process: Process,
  s: SpawnStatement,
  w: WireContext,
): Port | undefined => {
  // By position inputs come first; replies to control are wired by name only.
  const ports = [...process.inputs, ...process.outputs]
  const places = ports.filter((p) => p.name !== 'ctrl_out')
  const port = label ? ports.find((p) => p.name === label.text) : places[place]
  const repliesAreNamed = !label && places.length < ports.length
  const whole = repliesAreNamed ? namesOfAll(ports, s) : undefined
  if (port?.name === 'telemetry' && repliesAreNamed && !s.arguments.some((a) => a.port?.text === 'ctrl_out')) {
    const message = `argument ${place + 1} of '${process.name}' by place is telemetry: replies to control are wired by name alone`
    w.builder.report(
      warning('odd_place', message, span, `write 'telemetry=${channel.text}', or 'ctrl_out=${channel.text}' if replies are meant`),
    )
  }
  if (port) return port
  // Every process has it, unless it names another port so.
  if (label?.text === ERROR_PORT.name) return { name: label.text, ...w.builder.failuresOf(process, label.span) }
  if (label) reportNoPort(process, label, w.builder)
  else
    w.builder.report(
      error(
        'arity_mismatch',
        `'${process.name}' takes ${places.length} arguments by place, this is number ${place + 1}`,
        span,
        repliesAreNamed ? `replies to control are wired by name: '${whole ?? `ctrl_out=${channel.text}`}'` : undefined,
      ),
    )
  return undefined
}

// Where all ports are given by place, replies were meant to come before telemetry.
const namesOfAll = (ports: readonly Port[], { arguments: given }: SpawnStatement): string | undefined => {
  const [replies, telemetry] = given.filter(({ port }) => !port).slice(-2)
  const isAll = given.length === ports.length && given.every(({ port }) => !port)
  return isAll && replies && telemetry ? `ctrl_out=${replies.channel.text}, telemetry=${telemetry.channel.text}` : undefined
}

const connect = (
  argument: SpawnArgument,
  channel: LocalStream | undefined,
  port: Port | undefined,
  given: Map<string, Span>,
  w: WireContext,
): void => {
  if (!port) return
  const { span } = argument
  const first = given.get(port.name)
  if (first) {
    const twice = error('duplicate_name', `port '${port.name}' is given twice`, span)
    w.builder.report({ ...twice, related: [{ message: 'the first one is here', span: first }] })
    return
  }
  given.set(port.name, span)
  const isInput = 'input' in port
  if (isInput) w.builder.markFed(port.node, port.input)
  const [into] = channel?.inputs ?? []
  const [from] = channel?.outputs ?? []
  if (!channel) return
  if (isInput) {
    if (from) w.builder.connect(from, port.node, port.input, argument.channel.span)
    else w.builder.report(error('arity_mismatch', `nothing comes out of '${channel.name}' here: it is an output`, argument.channel.span))
  } else if (into) w.builder.connect(port, into.node, into.input, argument.channel.span)
  else w.builder.report(error('arity_mismatch', `nothing can be wired into '${channel.name}' here: it is an input`, argument.channel.span))
}
