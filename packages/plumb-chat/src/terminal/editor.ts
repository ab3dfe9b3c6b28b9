// A terminal with a line editor, fed key by key, so that what is typed while an answer comes waits, a paste is text, and a question is not
// answered by what was typed before it was there.

import { StringDecoder } from 'node:string_decoder'
import type { ReadStream, WriteStream } from 'node:tty'
import { continued } from './continuation.js'
import { type Key, KeyReader } from './keys.js'
import { Line, type View } from './line.js'
import { safe } from './safe-text.js'
import { Search } from './search.js'
import type { Person, Said, Terminal } from './terminal.js'

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
const [ABORT, ERASE] = ['\x07', /^[\x7f\b]/]
/** The first y or n, unless an escape sequence comes before it. */
const ANSWER = new RegExp(`^[^${ESCAPE}]*?([yn])`, 'i')
/** More than that is not typed ahead by a person. */
const MOST_AHEAD = 4096

export const openEditor = ({ input, output, prompt, history, complete, person }: EditorOptions): Terminal => {
  const empty: View = { prompt, text: '', cursor: 0 }
  let state: 'open' | 'held' | 'closed' = 'held'
  /** It stands in place of what is typed, whatever the state. */
  let question: { readonly answer: (said: Said) => void; readonly typed: View } | undefined
  let search: { readonly state: Search; readonly draft: View } | undefined
  let lastQuery = ''
  const ahead: Key[] = []
  const delayed: Key[] = []
  let said = ''
  const keys = new KeyReader()
  const decoder = new StringDecoder('utf8')
  const line = new Line({
    input,
    output,
    complete,
    onEntered: () => {
      state = 'held'
      person.onMessage(said)
    },
    onSettled: () => {
      for (const key of delayed.splice(0)) take(key)
    },
  })
  line.set(empty)

  const drop = (): void => {
    place = -1
    line.leave('^C')
    line.show(empty)
  }

  /** Which of the history is shown, and what was being typed before. */
  let place = -1
  let draft = ''
  const walk = (step: 1 | -1): void => {
    const to = place + step
    if (to < -1 || to >= history.length) return
    if (place === -1) draft = line.text
    place = to
    line.replace(history[to] ?? draft)
  }
  const enter = (): void => {
    const longer = continued(line.text)
    if (longer !== undefined) return line.replace(longer)
    said = line.text
    place = -1
    line.feed('\r')
  }

  const edit = (key: Key): void => {
    switch (key.kind) {
      case 'keys':
        return line.feed(key.text)
      case 'paste':
        return line.insert(pasted(key.text))
      case 'newline':
        return line.insert('\n')
      case 'enter':
        return enter()
      case 'older':
        return walk(1)
      case 'newer':
        return walk(-1)
      case 'search-older':
      case 'search-newer':
        search = { state: new Search(history, lastQuery, line.view), draft: line.view }
        return line.show(search.state.view)
      case 'interrupt':
        return line.text === '' ? person.onInterrupt() : drop()
      case 'end':
        return line.text === '' ? person.onEnd() : line.feed('\x04')
      case 'suspend':
        return line.suspend()
    }
  }

  // What is found becomes the line; what ends the search then acts on it.
  const endSearch = (view: Partial<View>): void => {
    if (!search) return
    if (search.state.query !== '') lastQuery = search.state.query
    place = search.state.place
    draft = search.draft.text
    search = undefined
    line.show({ ...view, prompt })
  }
  const seek = (key: Key, { state: found, draft }: NonNullable<typeof search>): void => {
    if (key.kind === 'interrupt') return endSearch(draft)
    if (key.kind === 'search-older') found.older()
    else if (key.kind === 'search-newer') found.newer()
    else if (key.kind === 'paste') found.type(pasted(key.text))
    else if (key.kind !== 'keys') {
      endSearch({})
      return take(key)
    } else {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these end what is typed
      const [text = ''] = /^[^\x00-\x1f\x7f]*/.exec(key.text) ?? []
      const rest = key.text.slice(text.length)
      if (text !== '') found.type(text)
      if (rest !== '') return seekOn(rest, found, draft)
    }
    line.show(found.view)
  }
  const seekOn = (rest: string, found: Search, draft: View): void => {
    if (rest.startsWith(ABORT)) return endSearch(draft)
    if (!ERASE.test(rest)) {
      line.show(found.view)
      endSearch({})
      return rest === ESCAPE ? undefined : take({ kind: 'keys', text: rest })
    }
    found.erase()
    line.show(found.view)
    if (rest.length > 1) take({ kind: 'keys', text: rest.slice(1) })
  }

  const settle = (said: Said, end: string): void => {
    if (!question) return
    const { answer, typed } = question
    line.leave(end)
    question = undefined
    line.set(typed)
    answer(said)
    if (state !== 'open') return
    line.show()
    takeAhead()
  }
  const decide = (key: Key): void => {
    if (key.kind === 'interrupt' || key.kind === 'end') {
      settle('leave', 'no')
      person.onInterrupt()
    } else if (key.kind === 'enter') settle('no', 'no')
    else if (key.kind === 'paste') keep(key)
    else if (key.kind === 'keys') {
      const said = key.text.endsWith(ESCAPE) ? 'n' : ANSWER.exec(key.text)?.[1]?.toLowerCase()
      if (said) settle(said === 'y' ? 'yes' : 'no', said === 'y' ? 'yes' : 'no')
    }
  }
  const take = (key: Key): void => {
    if (line.isSettling) delayed.push(key)
    else if (question) decide(key)
    else if (state === 'open') search ? seek(key, search) : edit(key)
    else if (key.kind === 'interrupt') person.onInterrupt()
    else keep(key)
  }
  const keep = (key: Key): void => {
    if (ahead.length < MOST_AHEAD) ahead.push(key)
  }
  const takeAhead = (): void => {
    for (const key of ahead.splice(0)) take(key)
  }

  const onData = (chunk: Buffer): void => {
    // The signal that tells of another width may come later than keys that were typed, and than answers that were given, at that width.
    refreshSize(output)
    for (const key of keys.push(decoder.write(chunk))) {
      if (key.kind === 'position') line.isAt(key.column)
      else if (state !== 'closed') take(key)
    }
  }
  const onGone = (): void => {
    if (state !== 'closed') person.onEnd()
  }
  const onResize = (): void => line.resize()
  const close = (): void => {
    if (state === 'closed') return
    state = 'closed'
    settle('leave', '')
    process.off('exit', close)
    output.off('resize', onResize)
    line.close()
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
      if (question) return
      line.show()
      takeAhead()
    },
    ask: ({ above, line: text }) => {
      if (state === 'closed') return Promise.resolve('leave')
      const typed = line.view
      line.hide()
      if (above !== undefined) output.write(`${above}\n`)
      line.show({ prompt: text, text: '', cursor: 0 })
      return new Promise((answer) => {
        question = { answer, typed }
      })
    },
    reword: ({ line: text }) => {
      if (question) line.show({ prompt: text })
    },
    withdraw: (why) => settle('withdrawn', why),
    get isAsking() {
      return question !== undefined
    },
    close,
    hide: () => line.hide(),
    show: () => {
      if (question || state === 'open') line.show()
    },
  }
}

// Emits `resize` where the size has changed. Node's own name for it, since its first versions.
const refreshSize = (output: WriteStream & { _refreshSize?(): void }): void => output._refreshSize?.()

// What a terminal would obey is none of a message.
const pasted = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const kept = text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
  return safe(kept)
}
