// Flows through agents: a model's answer, and each of its calls, may contain anything that it has read.

import { agentConfig } from '../check/agent.js'
import type { Span } from '../diagnostic/source.js'
import { type Bound, resolveName } from '../names/names.js'
import { type AgentPlan, agentOf, asksPerson } from '../program/agent-plan.js'
import { ERROR_PORT } from '../types/failure.js'
import { JSON_TYPE, type Json, STRING } from '../types/type.js'
import type { Analysis, FlowOutcome, ProcessFlow, ToolConfig } from './analysis.js'
import { holdAgent } from './config-sinks.js'
import { labelled } from './declared.js'
import { asRead, begin, extend, isSameTags, type Label, NO_TAGS, type Tags, type TrailStep, uniteTags } from './label.js'
import { reachOfAgent } from './reach.js'
import { flat, PLAIN, type Shape, violationsOf } from './shape.js'
import { ofSignature, takenBy, wayAcross } from './signature.js'
import { argumentOf, isTrusted } from './tool.js'

interface OwnTool {
  readonly bound: Bound
  /** In the list of the agent. */
  readonly span: Span
}

export class AgentFlow implements ProcessFlow {
  /** The labels of what it has read, and so of its memory. */
  #tags = NO_TAGS
  readonly #plan: AgentPlan
  readonly #tools: readonly OwnTool[]
  readonly #servers: readonly Server[]
  readonly #step: TrailStep

  constructor(
    private readonly bound: Bound,
    private readonly analysis: Analysis,
    private readonly around?: ToolConfig,
  ) {
    this.#plan = agentOf(bound)
    this.#tools = toolsOf(bound)
    this.#servers = serversOf(bound, this.#plan.config.mcp)
    this.#step = { text: `read by agent '${bound.name}'`, span: bound.binding.name.span }
  }

  run(inputs: readonly Shape[]): FlowOutcome {
    const signature = ofSignature(this.bound, this.analysis)
    const [input = PLAIN, control = PLAIN] = signature.isWorded ? signature.enter(inputs) : inputs
    this.#read(input)
    this.#control(control)
    this.#read({ tags: holdAgent(this.bound, this.analysis) })
    this.#program()
    let before: Tags
    do {
      before = this.#tags
      for (const tool of this.#tools) this.#call(tool)
      for (const server of this.#servers) this.#serve(server)
    } while (this.#tags !== before)
    this.#checkProvider()
    this.analysis.note(this.bound, this.#tags)
    // A person who answers takes responsibility for the answer.
    const { untrusted: _, ...ofPerson } = this.#tags
    const answer = labelled(this.#plan.output, asksPerson(this.bound) ? ofPerson : this.#tags)
    // Telemetry and replies hold what it was given, as text.
    const all = uniteTags(this.#tags, extend(uniteTags(flat(input), flat(control)), this.#step))
    const rest = labelled(JSON_TYPE, all)
    const outputs = [answer, ...(this.#plan.hasControl ? [rest] : []), ...(this.#plan.hasTelemetry ? [rest] : [])]
    const [own = PLAIN] = signature.leave([answer])
    return { outputs: [own, ...outputs.slice(1)], seen: all }
  }

  // A program that is given a network reads what it likes.
  #program(): void {
    const step: TrailStep = { text: `from '${this.bound.name}', a program with a network`, span: this.bound.binding.name.span }
    if (reachOfAgent(this.#plan.config, this.around).isOutside) this.#read(labelled(JSON_TYPE, { untrusted: begin(step) }))
  }

  #read(shape: Shape): void {
    const tags = uniteTags(this.#tags, extend(asRead(flat(shape)), this.#step))
    if (!isSameTags(tags, this.#tags)) this.#tags = tags
  }

  #call({ bound, span }: OwnTool): void {
    const effects = this.analysis.tool(bound).effects.filter((e) => e !== 'fs.read' && e !== 'model')
    const { result, errors } = this.analysis.listen(() =>
      this.analysis.at(span, () => this.analysis.call(bound, argumentOf(bound, this.#tags, effects))),
    )
    // In a chain of its own it makes text of what is closed.
    this.#read(this.#plan.config.compose ? labelled(JSON_TYPE, flat(result)) : result)
    this.#read(labelled(STRING, errors))
  }

  // The tools of a server, and their inputs, are unknown here.
  #serve({ name, isTrustedServer, span, effect }: Server): void {
    const step: TrailStep = { text: `which may call any tool of server '${name}'`, span, note: `effect ${effect}` }
    const help = (label: Label) =>
      `declare those that it needs, as in 'tool { mcp: ${name}, name: "…" }', with types that say which argument may be ${label}`
    for (const label of ['untrusted', 'secret'] as const) {
      const trail = this.#tags[label]
      if (trail) this.analysis.findings.add({ label, sink: 'the tools of a server', span, trail, last: [step], help: help(label) })
    }
    if (!isTrustedServer) this.#read(labelled(JSON_TYPE, { untrusted: begin({ text: `from server '${name}'`, span }) }))
  }

  // Control sets memory and model, and approves calls.
  #control(control: Shape): void {
    const { span } = this.bound.binding.name
    for (const { label, trail } of violationsOf(control, takenBy(this.bound, 1))) {
      if (label === 'secret') continue
      const port = this.bound.binding.signature?.inputs[1]
      this.analysis.findings.add({
        label,
        sink: `the control of agent '${this.bound.name}', which sets its memory`,
        span: port?.span ?? span,
        trail,
        last: [{ text: `into '${this.bound.name}@ctrl_in'`, span }],
        help: `write 'untrusted' there if others may set it, or put ${wayAcross(label)} before it`,
      })
    }
    this.#read(control)
  }

  // A model's input is sent to its provider.
  #checkProvider(): void {
    const { config } = this.#plan
    const { secret } = this.#tags
    const isLocal = config.provider === 'eliza' || config.provider === 'person' || config.command !== undefined
    if (!secret || (isLocal && !reachOfAgent(config, this.around).leaves) || config.sees_secrets === true) return
    const { span } = this.bound.binding.name
    this.analysis.findings.add({
      label: 'secret',
      sink: config.command === undefined ? `the provider of agent '${this.bound.name}'` : `the program of agent '${this.bound.name}'`,
      span,
      trail: secret,
      last: [],
      help: `write 'sees_secrets: true' in '${this.bound.name}' if it may be shown them, or put ${wayAcross('secret')} before it`,
    })
  }
}

const toolsOf = ({ binding: { impl }, scope }: Bound): readonly OwnTool[] => {
  const names = impl.kind === 'agent' ? agentConfig(impl, scope).get('tools')?.names : undefined
  return (names ?? []).flatMap((name) => {
    const bound = resolveName(name, scope)
    return bound ? [{ bound, span: name.span }] : []
  })
}

interface Server {
  readonly name: string
  readonly isTrustedServer: boolean
  /** In the list of the agent. */
  readonly span: Span
  readonly effect: 'exec' | 'net'
}

const serversOf = ({ binding: { impl, name } }: Bound, mcp: Json | undefined): readonly Server[] => {
  const list = impl.kind === 'agent' ? impl.config.entries.find(({ key }) => key.text === 'mcp')?.value : undefined
  return (Array.isArray(mcp) ? mcp : []).map((server, i) => {
    const { prefix, command, url } = Object(server)
    return {
      name: String(prefix ?? command ?? url),
      isTrustedServer: isTrusted(server),
      span: (list?.kind === 'list' ? list.items[i]?.span : undefined) ?? name.span,
      effect: command === undefined ? 'net' : 'exec',
    }
  })
}

/** The labels of a port `error`, for a process that has read these labels. */
export const failureShape = (tags: Tags): Shape => {
  const whole = labelled(ERROR_PORT.type, tags)
  if (!whole.fields) return whole
  // A program says itself in which process of it something has failed.
  const copied = ['detail', 'input', 'earlier', 'process']
  return { tags: NO_TAGS, fields: new Map([...whole.fields].map(([name, field]) => [name, copied.includes(name) ? field : PLAIN])) }
}
