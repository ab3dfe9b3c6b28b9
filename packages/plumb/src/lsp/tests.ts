// Tests in an editor: a lens to run and one to debug each, and the results of the last run as diagnostics.

import { hasErrors } from '@plumb/lang'
import { testsIn } from '@plumb/lang/service'
import type { EditorRun, TestResult } from '@plumb/spec-test/editor'
import { fail, type Result, succeed } from '@plumb/wire'
import type * as protocol from 'vscode-languageserver-protocol/node'
import type { Document, Documents } from './documents.js'
import type { DocumentParams } from './params.js'
import { rangeOf } from './position.js'

export const RUN_TEST = 'plumb.runTest'
export const DEBUG_TEST = 'plumb.debugTest'

/** The result of a command. */
export interface RanTests {
  readonly results: readonly TestResult[]
  /** For people: what failed and, for a debugged test, what its wires carried. */
  readonly text: string
}

export class EditorTests {
  /** By the path of the document, then by the name of the test. */
  readonly #results = new Map<string, Map<string, TestResult>>()

  constructor(private readonly documents: Documents) {}

  /** `null`: no such document is open. For a spec with errors they are shown, but not run. */
  lenses({ textDocument: { uri } }: DocumentParams): protocol.CodeLens[] | null {
    const document = this.documents.get(uri)
    if (!document) return null
    const known = this.#results.get(document.path)
    return testsIn(this.documents.compiled(document)).flatMap(({ name, head }) => {
      const range = rangeOf(document.text, head)
      const status = known?.get(name)?.status
      const run = { title: status === undefined ? 'run' : `run (${status})`, command: RUN_TEST, arguments: [uri, name] }
      return [
        { range, command: run },
        { range, command: { title: 'debug', command: DEBUG_TEST, arguments: [uri, name] } },
      ]
    })
  }

  /** Runs the test of that name, or all of the document; no real model is called. */
  async run(command: string, [uri, name]: readonly unknown[]): Promise<Result<RanTests>> {
    const document = typeof uri === 'string' ? this.documents.get(uri) : undefined
    if (!document || (name !== undefined && typeof name !== 'string'))
      return fail('usage', `'${command}' takes the URI of an open document, and the name of a test of it`)
    if (hasErrors(this.documents.compiled(document).diagnostics)) return fail('usage', 'the spec has errors: no test of it can be run')
    const { editorRun } = await import('@plumb/spec-test/editor')
    const ran = await editorRun(document, this.documents.files(), name, command === DEBUG_TEST)
    // A result of an old text would be at the wrong position.
    if (ran.ok && this.documents.get(document.uri)?.version === document.version) this.#keep(document, ran.value)
    return ran.ok ? succeed({ results: ran.value.results, text: ran.value.text }) : ran
  }

  /** The text has changed, or is no longer open. */
  forget(uri: string): void {
    const document = this.documents.get(uri)
    if (document) this.#results.delete(document.path)
  }

  /** The failures in a document, with their positions. */
  diagnosticsOf({ path, text }: Document): readonly protocol.Diagnostic[] {
    return [...(this.#results.get(path)?.values() ?? [])].flatMap((result) =>
      result.findings.map((finding) => {
        const { line, column } = finding.place?.file === path ? finding.place : result.place
        return {
          range: rangeOfLine(text, line, column),
          severity: ERROR,
          source: 'plumb test',
          code: finding.code,
          message: [`"${result.name}": ${finding.message}`, ...linesBelow(finding)].join('\n'),
        }
      }),
    )
  }

  #keep({ path }: Document, { results }: EditorRun): void {
    const known = this.#results.get(path) ?? new Map<string, TestResult>()
    this.#results.set(path, known)
    for (const result of results) known.set(result.name, result)
  }
}

const linesBelow = ({ expected, got, difference = [], route = [] }: TestResult['findings'][number]): readonly string[] => [
  ...(difference.length > 0
    ? difference
    : [...(expected === undefined ? [] : [`expected ${expected}`]), ...(got === undefined ? [] : [`got ${got}`])]),
  ...route.map(({ wire, messages }) => `${wire}: ${messages.join(', ')}`),
]

/** From a position, counted from 1, to the end of its line. */
const rangeOfLine = (text: string, line: number, column: number): protocol.Range => {
  const end = text.split(/\r\n|\n|\r/)[line - 1]?.length ?? 0
  return { start: { line: line - 1, character: column - 1 }, end: { line: line - 1, character: Math.max(end, column) } }
}

// The protocol's number.
const ERROR: protocol.DiagnosticSeverity = 1
