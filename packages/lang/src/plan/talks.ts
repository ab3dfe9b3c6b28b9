// The conversations of a body: each end point is used exactly once, each channel joins one side with the other, and together they are
// trees of its processes, so that they never wait for each other in a circle.

import { type Diagnostic, error } from '../diagnostic/diagnostic.js'
import type { Span } from '../diagnostic/source.js'
import type { EndPoint } from '../names/names.js'
import type { Name } from '../parse/ast.js'
import { isSameProtocol, isSilent, printEndPoint } from '../protocol/end-point.js'
import { JSON_TYPE } from '../types/type.js'
import type { Builder } from './builder.js'
import { circleOf, type JoiningChannel } from './circle.js'
import type { ConversationSide, GraphNode, Process, ProcessEnd } from './graph.js'

/** An end point that is a parameter, or a channel of end points. */
export interface Talk {
  readonly name: string
  readonly span: Span
  readonly end: EndPoint
  /** Of a parameter: what comes, and what the body says. */
  readonly own: { readonly hears: GraphNode; readonly says: GraphNode } | undefined
  readonly given: Given[]
  /** Where the body itself listens or speaks. */
  readonly spoken: Map<string, Span>
  /** It was used in a wrong way, which is reported: what is left over is of the same cause. */
  isWrong: boolean
}

interface Given {
  readonly process: Process
  readonly end: ProcessEnd
  readonly span: Span
}

export class Talks {
  readonly #talks: Talk[] = []
  readonly #used = new Map<ProcessEnd, Span>()

  constructor(private readonly builder: Builder) {}

  channel({ text, span }: Name, end: EndPoint): Talk {
    return this.#add({ name: text, span, end, own: undefined, given: [], spoken: new Map(), isWrong: false })
  }

  parameter({ text, span }: Name, end: EndPoint, hears: GraphNode, says: GraphNode): Talk {
    return this.#add({ name: text, span, end, own: { hears, says }, given: [], spoken: new Map(), isWrong: false })
  }

  #add(talk: Talk): Talk {
    this.#talks.push(talk)
    return talk
  }

  /** A name of it in a chain, or for a port that is a stream. False: it may not stand there. */
  speak(talk: Talk, name: string, span: Span): boolean {
    if (!talk.own) {
      if (talk.isWrong) return false
      talk.isWrong = true
      const message = `'${name}' is a conversation, which is wired whole: no part of a chain takes, copies, merges or filters it`
      this.#fail(message, span, `give each of its ends to a process, as in 'spawn f(${name}=${name})'`, talk.span, 'it is declared here')
      return false
    }
    if (talk.isWrong) return true
    const first = talk.spoken.get(name) ?? talk.given[0]?.span
    talk.spoken.set(name, span)
    if (!first) return true
    talk.isWrong = true
    this.#twice(name, span, first)
    return false
  }

  /** An argument of spawn. */
  give(talk: Talk, process: Process, end: ProcessEnd, span: Span): void {
    const before = this.#used.get(end)
    if (before) {
      talk.isWrong = true
      return this.#twice(`${process.name}@${end.name}`, span, before)
    }
    this.#used.set(end, span)
    const [spoken] = talk.spoken.values()
    const [first, second] = talk.given
    const used = spoken ?? (talk.own ? first?.span : second?.span)
    if (used) return this.#twice(talk.name, span, used)
    if (this.#speaks(talk, process, end, span)) talk.given.push({ process, end, span })
    else talk.isWrong = true
  }

  /** It was given something else, which is reported. */
  spoil(end: ProcessEnd, span: Span): void {
    this.#used.set(end, span)
  }

  /** It was given to a process that has an error of its own. */
  drop(talk: Talk): void {
    talk.isWrong = true
  }

  /** It was given to a port that the process does not have, which is reported: any of its ends may have been meant. */
  misname(talk: Talk, { ends = [] }: Process, span: Span): void {
    talk.isWrong = true
    for (const end of ends) if (!this.#used.has(end)) this.#used.set(end, span)
  }

  /** Wires what is right. `processes`: all of the body, by the place where each is first named. */
  finish(processes: Iterable<readonly [Process, Span]>): void {
    for (const [process, span] of processes) {
      for (const end of process.ends ?? []) {
        if (end.speaks === 'control' || this.#used.has(end)) continue
        const message = `the end '${end.name}' of '${process.name}' is left over`
        this.#fail(message, span, `give it an end: 'spawn ${process.name}(${end.name}=…)'`, end.speaks.span, 'it is declared here')
      }
    }
    for (const talk of this.#talks) {
      if (talk.isWrong) continue
      if (talk.own) this.#finishParameter(talk, talk.own)
      else this.#finishChannel(talk)
    }
    this.#refuseCircle()
  }

  #finishParameter(talk: Talk, own: NonNullable<Talk['own']>): void {
    const { name, span, end, given, spoken } = talk
    const [handed] = given
    if (handed) {
      const { hears, says } = handed.end
      this.builder.connect({ node: own.hears, output: 0, type: own.hears.outputs[0]?.type }, hears.node, hears.input, handed.span)
      this.builder.connect(says, own.says, 0, handed.span)
      return
    }
    const [hears, says] = [`${name}_in`, name]
    const [incoming, outgoing] = end.isDual ? (['send', 'recv'] as const) : (['recv', 'send'] as const)
    const left = [
      ...(spoken.has(hears) || isSilent(end, incoming) ? [] : [hears]),
      ...(spoken.has(says) || isSilent(end, outgoing) ? [] : [says]),
    ]
    if (left.length === 0) return
    const [other] = spoken.values()
    const what = left.length === 2 ? `the end '${name}' is left over` : `'${left[0]}', one way of the end '${name}', is left over`
    const help = `hand it on, as in 'spawn f(ctrl=${name})', or speak: '${hears}' is what comes, '${name}' where the body says`
    if (other) this.#fail(what, other, help, span, 'the end is declared here')
    else this.#fail(what, span, help, end.span, 'its protocol is named here')
  }

  #finishChannel({ name, span, end, given }: Talk): void {
    const [first, second] = given
    if (!first || !second) {
      const count = first ? 'one end' : 'both ends'
      const help = `give one to a process that speaks '${end.protocol.name}', and one to a process that speaks '~${end.protocol.name}'`
      this.#fail(
        `${count} of '${name}' ${first ? 'is' : 'are'} left over`,
        span,
        help,
        first?.span ?? end.span,
        first ? 'the other is given here' : 'its protocol is named here',
      )
      return
    }
    if (isDual(first.end) === isDual(second.end)) {
      const written = printEndPoint({ protocol: end.protocol, isDual: isDual(first.end) })
      const message = `both ends of '${name}' are '${written}': one side has to be '${printEndPoint({ protocol: end.protocol, isDual: !isDual(first.end) })}'`
      this.#fail(message, second.span, "'~' before the name of a protocol is its other side", first.span, 'the first is given here')
      return
    }
    const [written, dual] = isDual(first.end) ? [second, first] : [first, second]
    const side = ({ process, end: { hearsChoices, isForeign } }: Given): ConversationSide => ({
      name: process.name,
      hearsChoices,
      isForeign,
    })
    const ports = (...sides: readonly Given[]) => sides.map(({ process }) => ({ name: process.name, type: undefined }))
    const node = this.builder.node(
      name,
      span,
      { kind: 'conversation', protocol: end.protocol, sides: [side(written), side(dual)] },
      ports(written, dual).map((port) => ({ ...port, type: JSON_TYPE })),
      ports(dual, written),
    )
    const join = ({ end: { hears, says }, span: at }: Given, input: number) => {
      this.builder.connect(says, node, input, at)
      this.builder.connect({ node, output: 1 - input, type: undefined }, hears.node, hears.input, at)
    }
    join(written, 0)
    join(dual, 1)
  }

  #refuseCircle(): void {
    const channels = this.#talks.flatMap(({ name, span, given: [first, second] }): JoiningChannel[] =>
      first && second ? [{ name, span, ends: [first.process, second.process] }] : [],
    )
    const circle = circleOf(channels)
    const [last, ...others] = circle
    if (!last) return
    const path = circle.flatMap(({ from, name }) => [from.name, name])
    const message = `conversations go in a circle, in which each may wait for the next: ${[...path, circle[0]?.from.name].join(' - ')}`
    const help = 'conversations of a body are trees of its processes: leave one out, or say two things in one conversation'
    this.builder.report({
      ...error('protocol_invalid', message, last.span, help),
      related: others.map(({ name, span }) => ({ message: `'${name}' is of the circle too`, span })),
    })
  }

  /** Whether the end of the process speaks the protocol of the conversation, on the side of a parameter that is handed on. */
  #speaks(talk: Talk, process: Process, { name, speaks }: ProcessEnd, span: Span): boolean {
    const { end } = talk
    const isSame = speaks === 'control' ? isControl(end) : isSameProtocol(end.protocol, speaks.protocol)
    const isOnSide = !talk.own || isDual({ speaks }) === end.isDual
    if (isSame && isOnSide) return true
    const own = speaks === 'control' ? '~Mem.Control' : printEndPoint(speaks)
    const given = talk.own ? printEndPoint(end) : end.protocol.name
    const message = `'${process.name}' speaks '${own}' at its end '${name}', and '${talk.name}' is of '${given}'`
    const help = speaks === 'control' ? `name another protocol in its signature: '(!A, ~${end.protocol.name}) -> !B'` : undefined
    this.#fail(message, span, help, talk.span, 'it is declared here')
    return false
  }

  #twice(name: string, span: Span, first: Span): void {
    this.#fail(`'${name}' is used a second time`, span, 'an end of a conversation is used once', first, 'the first time is here')
  }

  #fail(message: string, span: Span, help: string | undefined, other: Span, about: string): void {
    const diagnostic: Diagnostic = error('protocol_invalid', message, span, help)
    this.builder.report({ ...diagnostic, related: [{ message: about, span: other }] })
  }
}

/** An agent answers commands. */
const isDual = ({ speaks }: Pick<ProcessEnd, 'speaks'>): boolean => speaks === 'control' || speaks.isDual

/** The protocol of the control of an agent, in the library. */
const isControl = ({ protocol: { name, scope } }: EndPoint): boolean => name === 'Control' && scope.module.path === CONTROL_PATH

const CONTROL_PATH = '<stdlib>/mem.plumb'
