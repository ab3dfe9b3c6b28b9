// Answers on their way to the screen: streamed piece by piece, one agent at a time, or complete.

import type { ProgramEvent } from './program/events.js'
import type { Screen } from './terminal/screen.js'

export interface AnswersOptions {
  readonly screen: Screen
  /** Each piece is shown when it comes; else only the outputs of the program are. */
  readonly isStreamed: boolean
  /** The name of the agent is before its answer. */
  readonly isNamed: boolean
  /** It answers in words for people, not in JSON. */
  readonly isProse: (agent: string) => boolean
  /** What it answers is shown part by part, and not as it is written. */
  readonly isGrowing: (agent: string) => boolean
}

export interface Answers {
  addEvent(event: ProgramEvent): void
  /** Shows one JSON value, given as text; `name` when there are several outputs. */
  output(json: string, name: string | undefined): void
  /** Nothing more comes in answer to what was asked. */
  end(): void
}

interface Stream {
  readonly agent: string
  text: string
  hasEnded: boolean
}

export const openAnswers = ({ screen, isStreamed, isNamed, isProse, isGrowing }: AnswersOptions): Answers => {
  /** The first is on the screen; the others wait until it has ended. */
  let streams: Stream[] = []
  let last = ''
  /** Agents whose next answer is on the screen already, piece by piece. */
  const pieced = new Set<string>()

  const begin = ({ agent, text }: Stream): void => {
    screen.startAnswer(isNamed ? agent : undefined, isProse(agent))
    screen.answer(text)
  }
  const addPiece = (agent: string, delta: string): void => {
    const stream = streams.find((s) => s.agent === agent && !s.hasEnded)
    if (!stream) {
      const next = { agent, text: delta, hasEnded: false }
      streams.push(next)
      if (streams[0] === next) begin(next)
      return
    }
    stream.text += delta
    if (streams[0] === stream) screen.answer(delta)
  }
  const finish = (agent: string): void => {
    const stream = streams.find((s) => s.agent === agent && !s.hasEnded)
    if (stream) stream.hasEnded = true
    while (streams[0]?.hasEnded) {
      screen.endAnswer()
      last = streams.shift()?.text ?? ''
      if (streams[0]) begin(streams[0])
    }
  }

  return {
    addEvent: (event) => {
      if (!isStreamed) return
      const { agent } = event
      if (event.kind === 'text' && !isGrowing(agent)) {
        pieced.add(agent)
        addPiece(agent, event.delta)
      }
      // Of several agents each is heard, also one that answers in one piece.
      else if (event.kind === 'output' && isNamed && !isGrowing(agent)) {
        if (!pieced.delete(agent)) addPiece(agent, textOfJson(JSON.stringify(event.value)))
        finish(agent)
      }
      // After a retry the stream starts again.
      else if (event.kind === 'usage' || event.kind === 'retry') finish(agent)
    },
    output: (json, name) => {
      const text = textOfJson(json)
      const isShown = last.trim() === text.trim() && last !== ''
      last = ''
      if (isShown) return
      const show = json.startsWith('"') ? screen.prose : screen.output
      show(name === undefined ? text : `${name}: ${text}`)
    },
    end: () => {
      screen.endAnswer()
      streams = []
      last = ''
      pieced.clear()
    },
  }
}

/** A string is shown without its quotes. Anything else stays as it is, with the digits of numbers and the order of keys. */
export const textOfJson = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json)
