// spawn process(channel, port=channel, …): wires the ports of a process to channels and parameters, by position or by name.

import { nearest } from '@plumb/wire/nearest'
import { error, warning } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { SpawnArgument, SpawnStatement } from '../parse/ast.js'
import { ERROR_PORT } from '../types/failure.js'
import type { Process, ProcessEnd } from './graph.js'
import { reportNoPort } from './instance.js'
import type { LocalStream } from './local.js'
import type { Talk, Talks } from './talks.js'
import type { WireContext } from './wire.js'

type Port = Process['inputs'][number] | Process['outputs'][number]

interface Locals {
  readonly local: ReadonlyMap<string, LocalStream>
  readonly talks: Talks
}

export const spawn = (s: SpawnStatement, { local, talks }: Locals, w: WireContext): void => {
  const process = w.place({ kind: 'reference', name: s.process, span: s.process.span })
  const given = new Map<string, Span>()
  let isNamed = false
  for (const [i, argument] of s.arguments.entries()) {
    const channel = localNamed(argument, local, w)
    const { port: label, span } = argument
    // What is wrong with the process is told there.
    if (!process && channel?.talk) talks.drop(channel.talk)
    if (!label && isNamed)
      w.builder.report(error('arity_mismatch', 'an argument by position comes after one by name', span, "name its port: 'port=channel'"))
    else if (process) {
      const port = portFor(argument, i, process, s, w)
      if (!port && channel?.talk) talks.misname(channel.talk, process, span)
      if (port && 'speaks' in port) give(argument, channel, process, port, talks, w)
      else if (!channel?.talk || speaks(argument, channel.talk, channel, port, talks, w)) connect(argument, channel, port, given, w)
    }
    if (label) isNamed = true
  }
}

/** An end of a conversation takes one, or a parameter that is one. */
const give = (
  { channel: { text, span } }: SpawnArgument,
  channel: LocalStream | undefined,
  process: Process,
  end: ProcessEnd,
  talks: Talks,
  w: WireContext,
): void => {
  if (!channel) return talks.spoil(end, span)
  const isWhole = channel.talk?.name === text
  if (channel.talk && isWhole) return talks.give(channel.talk, process, end, span)
  talks.spoil(end, span)
  const what = channel.talk ? `one way of '${channel.talk.name}'` : `a ${channel.what} of a stream`
  const help = `declare one: 'let s : ${end.speaks === 'control' ? 'Mem.Control' : end.speaks.protocol.name} = channel'`
  w.builder.report(
    error('protocol_invalid', `'${end.name}' of '${process.name}' is an end of a conversation, and '${text}' is ${what}`, span, help),
  )
}

/** A port of a stream takes one way of a parameter: what comes, or what is said. */
const speaks = (
  { channel: { text, span } }: SpawnArgument,
  talk: Talk,
  channel: LocalStream,
  port: Port | undefined,
  talks: Talks,
  w: WireContext,
): boolean => {
  if (talk.own && port && ('input' in port ? channel.outputs : channel.inputs).length > 0) return talks.speak(talk, text, span)
  if (talk.own && port) {
    const message = `'${text}' is where the body says something, and '${port.name}' takes what comes`
    w.builder.report(error('protocol_invalid', message, span, `what comes is '${talk.name}_in'`))
  } else if (port) talks.speak(talk, text, span)
  if (port && 'input' in port) w.builder.markFed(port.node, port.input)
  return false
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
): Port | ProcessEnd | undefined => {
  // By position inputs come first; replies to control are wired by name only.
  const ports = [...process.inputs, ...process.outputs]
  const ends = process.ends ?? []
  const places = inPlaces(process).filter((p) => p.name !== 'ctrl_out')
  const port = label ? [...ports, ...ends].find((p) => p.name === label.text) : places[place]
  const repliesAreNamed = !label && ports.some((p) => p.name === 'ctrl_out')
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

/** Each end stands where its signature has it. */
const inPlaces = ({ inputs, outputs, ends = [] }: Process): (Port | ProcessEnd)[] => {
  const places: (Port | ProcessEnd)[] = [...inputs]
  for (const end of ends) if (end.place !== undefined) places.splice(end.place, 0, end)
  return [...places, ...outputs]
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
