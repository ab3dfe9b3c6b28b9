// Answers on their way to the screen: as they come, where one can be shown at a time, and whole.

import type { Told } from './session.js'
import type { Screen } from './terminal/screen.js'

export interface AnswersOptions {
  readonly screen: Screen
  /** Each piece is shown when it comes; else only what the program puts out. */
  readonly isStreamed: boolean
  /** Who speaks has to be said. */
  readonly isNamed: boolean
}

export interface Answers {
  told(told: Told): void
  /** One JSON value as text; `name` where there are several outputs. */
  output(json: string, name: string | undefined): void
  /** Nothing more comes of what was asked. */
  end(): void
}

interface Speech {
  readonly agent: string
  text: string
  isOver: boolean
}

export const openAnswers = ({ screen, isStreamed, isNamed }: AnswersOptions): Answers => {
  /** The first is on the screen; the others wait until it is over. */
  let speeches: Speech[] = []
  let last = ''

  const begin = ({ agent, text }: Speech): void => {
    if (isNamed) screen.speaks(agent)
    screen.answer(text)
  }
  const piece = (agent: string, delta: string): void => {
    const speech = speeches.find((s) => s.agent === agent && !s.isOver)
    if (!speech) {
      const next = { agent, text: delta, isOver: false }
      speeches.push(next)
      if (speeches[0] === next) begin(next)
      return
    }
    speech.text += delta
    if (speeches[0] === speech) screen.answer(delta)
  }
  const finish = (agent: string): void => {
    const speech = speeches.find((s) => s.agent === agent && !s.isOver)
    if (speech) speech.isOver = true
    while (speeches[0]?.isOver) {
      screen.endAnswer()
      last = speeches.shift()?.text ?? ''
      if (speeches[0]) begin(speeches[0])
    }
  }

  return {
    told: (told) => {
      if (!isStreamed) return
      if (told.kind === 'text') piece(told.agent, told.delta)
      // A stream that was cut in the middle begins anew.
      else if (told.kind === 'usage' || told.kind === 'retry') finish(told.agent)
    },
    output: (json, name) => {
      const text = textOf(json)
      const isShown = last.trim() === text.trim() && last !== ''
      last = ''
      if (!isShown) screen.output(name === undefined ? text : `${name}: ${text}`)
    },
    end: () => {
      screen.endAnswer()
      speeches = []
      last = ''
    },
  }
}

// Only a string is shown as what it says: the digits of a number, and the order of keys, stay.
const textOf = (json: string): string => (json.startsWith('"') ? String(JSON.parse(json)) : json)
