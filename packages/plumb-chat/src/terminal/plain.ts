// A terminal that can do nothing but lines (TERM=dumb), or whose answers go elsewhere: the system's own editing, and no controls.

import type { Readable, Writable } from 'node:stream'
import { LineReader } from '@plumb/wire'
import { continued } from './continuation.js'
import type { Person, Terminal } from './terminal.js'

export interface PlainOptions {
  readonly input: Readable
  /** Where the prompt goes. */
  readonly output: Writable
  readonly prompt: string
  readonly person: Person
}

/** Ctrl-C comes as a signal here. */
export const openPlain = ({ input, output, prompt, person }: PlainOptions): Terminal => {
  let state: 'open' | 'held' | 'asking' | 'closed' = 'held'
  let answer: ((said: boolean | undefined) => void) | undefined
  let message = ''
  const reader = new LineReader(input, { raw: true })

  const pull = (): void => {
    while ((state === 'open' || state === 'asking') && reader.next()) {
      if (!reader.fault) take(JSON.parse(reader.buf.toString('utf8', reader.start, reader.end)))
    }
    if (reader.hasEnded && state !== 'closed') end()
  }
  const end = (): void => {
    answer?.(undefined)
    person.onEnd()
  }
  const take = (line: string): void => {
    if (state === 'asking') {
      state = 'held'
      answer?.(/^\s*y(es)?\s*$/i.test(line))
      return
    }
    const text = message + line
    const longer = continued(text)
    if (longer !== undefined) {
      message = longer
      return
    }
    message = ''
    state = 'held'
    person.onMessage(text)
  }
  reader.onReadable = pull

  const show = (): void => {
    if (state === 'open') output.write(prompt)
  }
  return {
    open: () => {
      if (state !== 'held') return
      state = 'open'
      show()
      pull()
    },
    ask: (question) => {
      if (state === 'closed') return Promise.resolve(undefined)
      state = 'asking'
      output.write(question)
      return new Promise((resolve) => {
        answer = resolve
        pull()
      })
    },
    close: () => {
      if (state === 'closed') return
      state = 'closed'
      reader.stop()
    },
    hide: () => {
      if (state === 'open') output.write('\n')
    },
    show,
  }
}
