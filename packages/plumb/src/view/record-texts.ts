// What the files of a record say in full, of which the timeline has the beginning at most: answers of models, prompts, long messages and
// results. Each is read when it is shown.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openStore, placeName, type Store } from '@plumb/ledger/kept'
import { isRecord } from '@plumb/wire'
import { eachLine, lineAt, parseObject, type Span } from './file-lines.js'
import type { CallModel, Lane, RequestModel, RunMessage, TurnModel, WireModel } from './run-model.js'

/** A part of an answer, as the agent kept it. */
export type Block = Readonly<Record<string, unknown>>

export interface Prompt {
  readonly system: string
  readonly tools: readonly { readonly name: string; readonly description: string }[]
}

/** Every text may be undefined: the record does not have it. */
export interface RunTexts {
  answerOf(request: RequestModel, lane: Lane): readonly Block[] | undefined
  promptOf(lane: Lane): Prompt | undefined
  /** In full, where the timeline has the beginning. */
  turnOf(turn: TurnModel, lane: Lane): Pick<TurnModel, 'input' | 'output'>
  callOf(call: CallModel, lane: Lane): Pick<CallModel, 'input' | 'result'>
  messageOf(message: RunMessage, wire: WireModel): string
}

/** Of a trace without a record. */
export const noTexts: RunTexts = {
  answerOf: () => undefined,
  promptOf: () => undefined,
  turnOf: ({ input, output }) => ({ input, output }),
  callOf: ({ input, result }) => ({ input, result }),
  messageOf: ({ text }) => text,
}

const KEPT = 'kept-answers'
/** Shorter texts are whole in the timeline. */
const MIN_LONG = 200
/** Of an event, in which its kind, process and id are. */
const HEAD_BYTES = 600

const isCut = (text: string | undefined): boolean => text?.endsWith('…') ?? false

export class RecordTexts implements RunTexts {
  readonly #directory: string
  readonly #places = new Map<string, PlaceFiles>()
  readonly #wires = new Map<string, readonly Span[]>()
  readonly #store: Store | undefined
  #results: ReadonlyMap<string, readonly KeptResult[]> | undefined

  constructor(directory: string) {
    this.#directory = directory
    const store = openStore(join(directory, KEPT), true)
    this.#store = store.ok ? store.value : undefined
  }

  answerOf({ key = '' }: RequestModel, lane: Lane): readonly Block[] | undefined {
    const [hash = '', nth = '', ...place] = key.split(' ')
    if (!/^[0-9a-f]{64}$/.test(hash)) return undefined
    const own = this.#store?.read({ hash, nth: Number(nth), place: place.join(' ') })
    // In a run by workers the number is of the worker.
    const others = own ? [] : (this.#store?.keysOf(hash) ?? []).filter((other) => other.place.split('@')[0] === placeName(lane.place))
    const answer = (own ?? (others[0] && this.#store?.read(others[0])))?.answer
    const said = isRecord(answer) && isRecord(answer.answer) ? answer.answer.content : undefined
    return Array.isArray(said) ? said.filter(isRecord) : undefined
  }

  promptOf(lane: Lane): Prompt | undefined {
    const { files, process } = this.#filesOf(lane)
    const span = files.prompts.get(process)
    const { system, tools } = telemetryIn(span && lineAt(files.events, span))
    if (typeof system !== 'string') return undefined
    const listed = Array.isArray(tools) ? tools.filter(isRecord) : []
    return { system, tools: listed.map(({ name, description }) => ({ name: String(name), description: String(description ?? '') })) }
  }

  turnOf(turn: TurnModel, lane: Lane): Pick<TurnModel, 'input' | 'output'> {
    const { input, output, seq } = turn
    if (!isCut(input) && !isCut(output)) return { input, output }
    const { files, process } = this.#filesOf(lane)
    for (const span of files.answers.get(`${seq} ${process}`) ?? files.answers.get(`${turn.n} ${process}`) ?? []) {
      const line = parseObject(lineAt(files.answered, span))
      if (!isWholeOf(line.input, input) || (output !== undefined && !isWholeOf(line.output, output))) continue
      return { input: line.input as string, output: output === undefined ? undefined : (line.output as string) }
    }
    return { input, output }
  }

  callOf(call: CallModel, lane: Lane): Pick<CallModel, 'input' | 'result'> {
    const { input, result } = call
    if (result === undefined) return { input, result: this.#keptResult(call, lane) }
    if (!isCut(input) && !isCut(result)) return { input, result }
    const { files, process } = this.#filesOf(lane)
    for (const span of files.calls.get(`${call.id} ${process}`) ?? []) {
      const { call: whole } = parseObject(lineAt(files.events, span))
      if (!isRecord(whole)) continue
      const full = { input: textOf(whole.input), result: textOf(whole.error ?? whole.result) }
      if (isWholeOf(full.input, input)) return full
    }
    return { input, result }
  }

  messageOf({ text, index }: RunMessage, { wire }: WireModel): string {
    if (!isCut(text) || /[/\\]/.test(wire.name)) return text
    const path = join(this.#directory, `${wire.name}.jsonl`)
    const spans = this.#wires.get(wire.name) ?? linesOf(path)
    this.#wires.set(wire.name, spans)
    const span = spans[index]
    const whole = span && lineAt(path, span)
    return isWholeOf(whole, text) ? whole : text
  }

  #filesOf({ place }: Lane): { files: PlaceFiles; process: string } {
    const within = place.split('~')
    const process = within.pop() ?? ''
    const directory = join(this.#directory, ...within.filter((name) => !/^\.*$|[/\\]/.test(name)))
    const files = this.#places.get(directory) ?? new PlaceFiles(directory)
    this.#places.set(directory, files)
    return { files, process }
  }

  // Of a call that plumb-tool has not made, as one of a server that the agent has opened itself.
  #keptResult({ id }: CallModel, { place }: Lane): string | undefined {
    this.#results ??= keptResultsIn(join(this.#directory, KEPT))
    const found = this.#results.get(`${id} ${placeName(place)}`) ?? []
    const [only, another] = found
    if (!only || another) return undefined
    const { answer } = parseObject(lineAt(only.path, only))
    return isRecord(answer) ? textOf(answer.content) : undefined
  }
}

const isWholeOf = (whole: unknown, text: string | undefined): whole is string =>
  typeof whole === 'string' && text !== undefined && (isCut(text) ? whole.startsWith(text.slice(0, -1)) : whole === text)

const textOf = (value: unknown): string => JSON.stringify(value) ?? ''

const telemetryIn = (line: string | undefined): Readonly<Record<string, unknown>> => {
  const { telemetry } = parseObject(line)
  return isRecord(telemetry) ? telemetry : {}
}

const linesOf = (path: string): readonly Span[] => {
  const spans: Span[] = []
  eachLine(path, 0, (_, span) => void spans.push(span))
  return spans
}

interface KeptResult extends Span {
  readonly path: string
}

const keptResultsIn = (directory: string): ReadonlyMap<string, readonly KeptResult[]> => {
  const found = new Map<string, KeptResult[]>()
  for (const name of namesIn(directory).filter((one) => one.endsWith('.jsonl'))) {
    const path = join(directory, name)
    eachLine(path, HEAD_BYTES, (head, span) => {
      const [, place, id] =
        /^\{"hash":"\w+","place":"([^"]+)","nth":\d+,"answer":\{"type":"tool_result","tool_use_id":"([^"]+)"/.exec(head.toString()) ?? []
      if (id !== undefined) addTo(found, `${id} ${place}`, { ...span, path })
    })
  }
  return found
}

const namesIn = (directory: string): readonly string[] => {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

/** Adds to the list of a key. */
const addTo = <T>(lists: Map<string, T[]>, key: string, item: T): void => {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}

// Where long texts are in the record of one plumb: by the input or the call, and the process.
class PlaceFiles {
  readonly events: string
  readonly answered: string
  /** The last of each process. */
  readonly prompts = new Map<string, Span>()
  readonly calls = new Map<string, Span[]>()
  readonly answers = new Map<string, Span[]>()

  constructor(directory: string) {
    this.events = join(directory, 'events.jsonl')
    this.answered = join(directory, 'answers.jsonl')
    eachLine(this.events, HEAD_BYTES, (head, span) => {
      const text = head.toString()
      const [, prompted] = /"process":"((?:[^"\\]|\\.)*)","telemetry":\{"kind":"prompt"/.exec(text) ?? []
      if (prompted !== undefined) this.prompts.set(unquoted(prompted), span)
      if (span.bytes < MIN_LONG) return
      const [, process, id] =
        /"kind":"call","process":"((?:[^"\\]|\\.)*)","call":\{"tool":"[^"]*","id":"((?:[^"\\]|\\.)*)"/.exec(text) ?? []
      if (process !== undefined && id !== undefined) addTo(this.calls, `${unquoted(id)} ${unquoted(process)}`, span)
    })
    eachLine(this.answered, HEAD_BYTES, (head, span) => {
      if (span.bytes < MIN_LONG) return
      const [, process, seq] = /^\{"process":"((?:[^"\\]|\\.)*)","seq":(\d+),/.exec(head.toString()) ?? []
      if (process !== undefined) addTo(this.answers, `${seq} ${unquoted(process)}`, span)
    })
  }
}

const unquoted = (text: string): string => {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
