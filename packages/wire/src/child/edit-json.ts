// Lets a person change a JSON value in the editor that $VISUAL or $EDITOR names, at the terminal of this process.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Fault, fault } from '../error.js'
import { parseJson } from '../json/parse.js'
import { escapeControls } from '../preview.js'
import { fail, type Result, succeed } from '../result.js'
import { systemReason } from '../system-reason.js'

/** Larger than any input that a person writes; it is read whole. */
const MAX_BYTES = 4 * 1024 * 1024

const TOKENS = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/gs

/** The words of $VISUAL, else of $EDITOR, which white space parts: quotes mean nothing, and no shell reads them. Empty: there is none. */
export const editorWords = ({ VISUAL, EDITOR }: NodeJS.ProcessEnv): readonly string[] =>
  [VISUAL, EDITOR].map((words = '') => words.split(/\s+/).filter((word) => word !== '')).find(({ length }) => length > 0) ?? []

/**
 * Resolves to the value as one line of JSON text, when the editor has ended. Undefined: it was left as it was. Numbers keep their digits.
 * Until then nothing else may read from the terminal.
 */
export const editJson = async (json: string, words: readonly string[], signal: AbortSignal): Promise<Result<string | undefined>> => {
  const fds: number[] = []
  let directory: string | undefined
  try {
    fds.push(openSync('/dev/tty', constants.O_RDWR | constants.O_NOCTTY))
    directory = mkdtempSync(join(tmpdir(), 'plumb-edit-'))
    const file = join(directory, 'input.json')
    const text = `${indentJson(json)}\n`
    writeFileSync(file, text, { mode: 0o600 })
    const failed = await runEditor(words, file, fds[0] ?? 0, signal)
    if (failed) return { ok: false, error: failed }
    if (statSync(file).size > MAX_BYTES) return fail('too_large', `what was edited is larger than ${MAX_BYTES} bytes`)
    const edited = readFileSync(file, 'utf8')
    return edited === text ? succeed(undefined) : inOneLine(edited)
  } catch (error) {
    return fail('write_failed', `the input cannot be edited: ${systemReason(error as NodeJS.ErrnoException)}`)
  } finally {
    for (const fd of fds) closeSync(fd)
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true })
  }
}

/** A text that should be JSON, in one line. */
export const inOneLine = (text: string): Result<string> => {
  const bytes = Buffer.from(text)
  const parsed = parseJson(bytes, 0, bytes.length)
  return parsed.ok ? succeed((text.match(TOKENS) ?? []).join('')) : parsed
}

// In the process group of this process: a terminal stops what reads it from another one.
const runEditor = (
  [program = '', ...args]: readonly string[],
  file: string,
  tty: number,
  signal: AbortSignal,
): Promise<Fault | undefined> =>
  new Promise((resolve) => {
    const named = `the editor '${escapeControls(program)}'`
    const child: ChildProcess = spawn(program, [...args, file], { stdio: [tty, tty, tty] })
    const stop = (): void => void child.kill('SIGTERM')
    const end = (failed: Fault | undefined): void => {
      signal.removeEventListener('abort', stop)
      resolve(failed)
    }
    signal.addEventListener('abort', stop, { once: true })
    child.on('error', (error) => end(fault('child_failed', `${named} cannot be started: ${systemReason(error as NodeJS.ErrnoException)}`)))
    child.on('exit', (status, by) => {
      if (status === 0) return end(undefined)
      end(fault('child_failed', `${named} ended with ${by ?? `status ${status}`}: the input is as it was`))
    })
  })

/** What an editor would hide or obey is escaped: JSON has such characters in strings alone, where that is the same value. */
const indentJson = (json: string): string => {
  let [text, depth, before] = ['', 0, '']
  const line = (): string => `\n${'  '.repeat(depth)}`
  for (const [token] of json.matchAll(TOKENS)) {
    const closes = token === '}' || token === ']'
    if (closes) depth--
    const isEmpty = closes && (before === '{' || before === '[')
    const breaks = (closes && !isEmpty) || before === ',' || (!closes && (before === '{' || before === '['))
    text += `${breaks ? line() : ''}${escapeControls(token)}${token === ':' ? ' ' : ''}`
    if (token === '{' || token === '[') depth++
    before = token
  }
  return text
}
