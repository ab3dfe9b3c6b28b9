// A terminal with a line editor, fed key by key: keys typed during an answer wait, a paste is text, and keys typed before a question do not
// answer it.

import { StringDecoder } from 'node:string_decoder'
import type { ReadStream, WriteStream } from 'node:tty'
import { continueMessage } from './continuation.js'
import { type Key, KeyReader } from './keys.js'
import { EditLine, type View } from './line.js'
import { sanitize } from './sanitize.js'
import { Search } from './search.js'
import type { QuestionAnswer, Terminal, TerminalListener } from './terminal.js'

export interface EditorOptions {
  readonly input: ReadStream
  readonly output: WriteStream
  readonly prompt: string
  /** The newest first; may grow. */
  readonly history: readonly string[]
  /** Completions of the line when Tab is pressed. */
  readonly complete: (line: string) => readonly string[]
  readonly listener: TerminalListener
}

const PASTES_ON = '\x1b[?2004h'
const PASTES_OFF = '\x1b[?2004l'
const ESCAPE = '\x1b'
const [ABORT, ERASE] = ['\x07', /^[\x7f\b]/]
const ERASED = /^.*[\x7f\b]/s
/** More than that is not typed ahead by a listener. */
const MAX_TYPE_AHEAD = 4096

export const openEditor = ({ input, output, prompt, history, complete, listener }: EditorOptions): Terminal => {
  const empty: View = { prompt, text: '', cursor: 0 }
  let state: 'open' | 'held' | 'closed' = 'held'
  /** Shown in place of the line, in any state. */
  let question: { readonly answer: (answer: QuestionAnswer) => void; readonly typed: View; isWord: boolean } | undefined
  let search: { readonly state: Search; readonly draft: View } | undefined
  let lastQuery = ''
  const ahead: Key[] = []
  const delayed: Key[] = []
  let entered = ''
  const keys = new KeyReader()
  const decoder = new StringDecoder('utf8')
  const line = new EditLine({
    input,
    output,
    complete,
    onEntered: () => {
      state = 'held'
      listener.onMessage(entered)
    },
    onSettled: () => {
      for (const key of delayed.splice(0)) take(key)
    },
  })
  line.set(empty)

  const dropLine = (): void => {
    place = -1
    line.leave('^C')
    line.show(empty)
  }

  /** The entry of the history that is shown, -1 for none, and the line that was typed before. */
  let place = -1
  let draft = ''
  const walkHistory = (step: 1 | -1): void => {
    const to = place + step
    if (to < -1 || to >= history.length) return
    if (place === -1) draft = line.text
    place = to
    line.replace(history[to] ?? draft)
  }
  const enter = (): void => {
    const longer = continueMessage(line.text)
    if (longer !== undefined) return line.replace(longer)
    entered = line.text
    place = -1
    line.feed('\r')
  }

  const edit = (key: Key): void => {
    switch (key.kind) {
      case 'keys':
        return line.feed(key.text)
      case 'paste':
        return line.insert(cleanPaste(key.text))
      case 'newline':
        return line.insert('\n')
      case 'enter':
        return enter()
      case 'older':
        return walkHistory(1)
      case 'newer':
        return walkHistory(-1)
      case 'search-older':
      case 'search-newer':
        search = { state: new Search(history, lastQuery, line.view), draft: line.view }
        return line.show(search.state.view)
      case 'interrupt':
        return line.text === '' ? listener.onInterrupt() : dropLine()
      case 'end':
        return line.text === '' ? listener.onEnd() : line.feed('\x04')
      case 'suspend':
        return line.suspend()
    }
  }

  // The match becomes the line; the key that ended the search then acts on it.
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
    else if (key.kind === 'paste') found.type(cleanPaste(key.text))
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

  const settle = (result: QuestionAnswer, end: string): void => {
    if (!question) return
    const { answer, typed } = question
    line.leave(end)
    question = undefined
    line.set(typed)
    answer(result)
    if (state !== 'open') return
    line.show()
    takeAhead()
  }
  const decide = (key: Key): void => {
    if (key.kind === 'interrupt' || key.kind === 'end') {
      settle('leave', 'no')
      listener.onInterrupt()
    } else if (key.kind === 'enter') settle('no', 'no')
    else if (key.kind === 'paste') keep(key)
    else if (key.kind === 'keys') decideBy(key.text)
  }
  // The y of a word that was begun before the question allows nothing.
  const decideBy = (text: string): void => {
    if (!question) return
    const [typed = '', escape] = text.split(ESCAPE, 2)
    const last = typed.replace(ERASED, '')
    if (last !== typed) question.isWord = false
    if (text.endsWith(ESCAPE) || /n/i.test(last)) settle('no', 'no')
    else if (/^y(es)?$/i.test(last) && escape === undefined && !question.isWord) settle('yes', 'yes')
    else question.isWord ||= last !== ''
  }
  const take = (key: Key): void => {
    if (line.isSettling) delayed.push(key)
    else if (question) decide(key)
    else if (state === 'open') search ? seek(key, search) : edit(key)
    else if (key.kind === 'interrupt') listener.onInterrupt()
    else keep(key)
  }
  const keep = (key: Key): void => {
    if (ahead.length < MAX_TYPE_AHEAD) ahead.push(key)
  }
  const takeAhead = (): void => {
    for (const key of ahead.splice(0)) take(key)
  }

  const onData = (chunk: Buffer): void => {
    // The signal for a new width may come later than keys that were typed at that width, or than the terminal's answers at it.
    refreshSize(output)
    for (const key of keys.push(decoder.write(chunk))) {
      if (key.kind === 'position') line.handleCursorColumn(key.column)
      else if (state !== 'closed') take(key)
    }
  }
  const onTerminalGone = (): void => {
    if (state !== 'closed') listener.onEnd()
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
  input.on('data', onData).on('end', onTerminalGone).on('error', onTerminalGone)
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
        question = { answer, typed, isWord: false }
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

// Emits `resize` if the size has changed. An internal method of Node, unchanged since its first versions.
const refreshSize = (output: WriteStream & { _refreshSize?(): void }): void => output._refreshSize?.()

// Control characters do not belong into a message.
const cleanPaste = (text: string): string => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const kept = text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, '')
  return sanitize(kept)
}
