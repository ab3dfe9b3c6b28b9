// Has a person change the input of a call: in an editor, or, where there is none, in a line.

import { type Result, succeed } from '@plumb/wire'
import { editJson, editorWords, inOneLine } from '@plumb/wire/edit-json'
import { escapeControls } from '@plumb/wire/preview'
import type { Screen } from './terminal/screen.js'
import type { Terminal } from './terminal/terminal.js'

/** Resolves to the new input as JSON text. Undefined: it was left as it was. `signal` ends the editor. */
export const editInput = async (
  input: string,
  terminal: Pick<Terminal, 'lend' | 'typed'>,
  screen: Pick<Screen, 'hold'>,
  signal: AbortSignal,
): Promise<Result<string | undefined>> => {
  const words = editorWords(process.env)
  if (!terminal.lend || words.length === 0) {
    const shown = escapeControls(input)
    const typed = await terminal.typed('its new input, as JSON: ', shown)
    return typed === undefined || typed.trim() === '' || typed === shown ? succeed(undefined) : inOneLine(typed)
  }
  const release = screen.hold()
  const takeBack = terminal.lend()
  try {
    return await editJson(input, words, signal)
  } finally {
    release()
    takeBack()
  }
}
