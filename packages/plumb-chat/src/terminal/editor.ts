// A terminal with a line editor: Node's own, fed key by key, so that what is typed while an answer comes waits, and a paste is text.

import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { ReadStream, WriteStream } from 'node:tty'
import { continued } from './continuation.js'
import { type Key, KeyReader } from './keys.js'
import { safe } from './safe-text.js'
import type { Person, Terminal } from './terminal.js'

export interface EditorOptions {
  readonly input: ReadStream
  readonly output: WriteStream
  readonly prompt: string
  /** The newest first; may grow. */
  readonly history: readonly string[]
  /** What the line may become when Tab is pressed. */
  readonly complete: (line: string) => readonly string[]
  readonly person: Person
}

const PASTES_ON = '\x1b[?2004h'
const PASTES_OFF = '\x1b[?2004l'
const ESCAPE = '\x1b'
/** The first y or n, unless an escape sequence comes before it. */
const ANSWER = new RegExp(`^[^${ESCAPE}]*?([yn])`, 'i')
/** More than that is not typed ahead by a person. */
const MOST_AHEAD = 4096

/** Node documents both, and lets them be changed; only its types do not. */
type Line = { line: string; cursor: number; prevRows: number }

export const openEditor = ({ input, output, prompt, history, complete, person }: EditorOptions): Terminal => {
  let state: 'open' | 'held' | 'asking' | 'closed' = 'held'
  let ahead: Key[] = []
  let answer: ((said: boolean | undefined) => void) | undefined
  let said = ''
  const keys = new KeyReader()
  const decoder = new StringDecoder('utf8')

  const typed = Object.assign(new Readable({ read: () => {} }), { isTTY: true, setRawMode: (isRaw: boolean) => input.setRawMode(isRaw) })
  const forward = (chunk: string, _encoding: string, done: () => void): void => {
    output.write(chunk)
    done()
  }
  const shown = new Writable({ decodeStrings: false, write: forward })
  Object.defineProperty(shown, 'columns', { get: () => output.columns })
  const editor: Interface = createInterface({
    input: typed,
    output: shown,
    terminal: true,
    prompt,
    // It would change messages of several lines, in ways of each version.
    historySize: 0,
    completer: (line: string) => [complete(line), line],
  })
  const line = editor as unknown as Line

  const feed = (text: string): void => void typed.emit('data', Buffer.from(text))
  const insert = (text: string): void => {
    line.line = line.line.slice(0, line.cursor) + text + line.line.slice(line.cursor)
    line.cursor += text.length
    editor.prompt(true)
  }
  const replace = (text: string): void => {
    line.line = text
    line.cursor = text.length
    editor.prompt(true)
  }
  const drop = (): void => {
    place = -1
    line.cursor = line.line.length
    editor.prompt(true)
    output.write('^C\n')
    line.prevRows = 0
    replace('')
  }

  /** Which of the history is shown, and what was being typed before. */
  let place = -1
  let draft = ''
  const walk = (step: 1 | -1): void => {
    const to = place + step
    if (to < -1 || to >= history.length) return
    if (place === -1) draft = line.line
    place = to
    replace(history[to] ?? draft)
  }
  const enter = (): void => {
    const longer = continued(line.line)
    if (longer !== undefined) return replace(longer)
    said = line.line
    place = -1
    feed('\r')
  }

  const edit = (key: Key): void => {
    switch (key.kind) {
      case 'keys':
        return feed(key.text)
      case 'paste':
        return insert(pasted(key.text))
      case 'newline':
        return insert('\n')
      case 'enter':
        return enter()
      case 'older':
        return walk(1)
      case 'newer':
        return walk(-1)
      case 'interrupt':
        return line.line === '' ? person.onInterrupt() : drop()
      case 'end':
        return line.line === '' ? person.onEnd() : feed('\x04')
      case 'suspend':
        return feed('\x1a')
    }
  }
  const settle = (said: boolean | undefined, echo: string): void => {
    state = 'held'
    output.write(`${echo}\n`)
    const tell = answer
    answer = undefined
    tell?.(said)
  }
  const decide = (key: Key): void => {
    if (key.kind === 'interrupt' || key.kind === 'end') {
      settle(undefined, 'no')
      person.onInterrupt()
    } else if (key.kind === 'enter') settle(false, 'no')
    else if (key.kind === 'keys') {
      const said = key.text.endsWith(ESCAPE) ? 'n' : ANSWER.exec(key.text)?.[1]?.toLowerCase()
      if (said) settle(said === 'y', said === 'y' ? 'yes' : 'no')
    }
  }
  const take = (key: Key): void => {
    if (state === 'open') edit(key)
    else if (state === 'asking') decide(key)
    else if (key.kind === 'interrupt') person.onInterrupt()
    else if (ahead.length < MOST_AHEAD) ahead.push(key)
  }

  editor.on('line', () => {
    state = 'held'
    person.onMessage(said)
  })
  const onData = (chunk: Buffer): void => {
    for (const key of keys.push(decoder.write(chunk))) if (state !== 'closed') take(key)
  }
  const onGone = (): void => {
    if (state !== 'closed') person.onEnd()
  }
  const onResize = (): void => {
    if (state === 'open') shown.emit('resize')
  }
  const close = (): void => {
    if (state === 'closed') return
    state = 'closed'
    answer?.(undefined)
    process.off('exit', close)
    output.off('resize', onResize)
    editor.close()
    input.setRawMode(false)
    input.destroy()
    output.write(PASTES_OFF)
  }
  input.on('data', onData).on('end', onGone).on('error', onGone)
  output.on('resize', onResize)
  process.on('exit', close)
  input.setRawMode(true)
  output.write(PASTES_ON)

  return {
    open: () => {
      if (state !== 'held') return
      state = 'open'
      line.prevRows = 0
      editor.prompt()
      const waiting = ahead
      ahead = []
      for (const key of waiting) take(key)
    },
    ask: (question) => {
      if (state === 'closed') return Promise.resolve(undefined)
      state = 'asking'
      output.write(question)
      return new Promise((resolve) => {
        answer = resolve
      })
    },
    close,
    hide: () => {
      if (state !== 'open') return
      moveCursor(output, 0, -editor.getCursorPos().rows)
      cursorTo(output, 0)
      clearScreenDown(output)
      line.prevRows = 0
    },
    show: () => {
      if (state === 'open') editor.prompt(true)
    },
  }
}

// What a terminal would obey is none of a message.
const pasted = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const kept = text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
  return safe(kept)
}
